"""case - one wrong request: where it goes, what is wrong in it, and what must come back."""
from wire import request

REFUSED = frozenset(range(400, 500)) - {429}


class Case:
    def __init__(self, route, mutation, data, want=REFUSED, says="", lives=True, is_head=False):
        self.route, self.mutation = route, mutation
        self.data = data          # bytes of the whole request
        self.want = want          # statuses
        self.says = says          # what the message must contain
        self.lives = lives        # True: the connection must survive; False: must not; None: may
        self.is_head = is_head    # an answer without a body


class Maker:
    """Good requests with the owner's token, for families to spoil."""

    def __init__(self, server, routes):
        self.server, self.routes = server, routes
        self.auth = [("Host", f"127.0.0.1:{server.port}"), ("X-Api-Key", server.token)]

    def request(self, route, target=None, body=None, headers=None, content_type="application/json",
                method=None):
        return request(method or route.method, target or route.target, body,
                       self.auth if headers is None else headers, content_type)
