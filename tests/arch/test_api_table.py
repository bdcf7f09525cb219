from fixture import CheckCase

ROUTES = '''const struct api_route API_ROUTES[] = {
	{ OPEN("/healthz", health_route), .summary = "Alive?" },
	{ ROW("POST", "/v1/x/{id}", x_route, ACCESS_SESSION_READ,
	      "xs"),
	  TAKES("X"), .summary = "Do x" },
};
'''
MARKS = ("<!-- routes: made by tests/arch/check_api_table --write -->", "<!-- /routes -->")
HEAD = "| request | what it does | may |\n|---|---|---|\n"
OPEN = "| `GET /healthz` | Alive? | open |\n"
X = "| `POST /v1/x/{id}` | Do x | session read |\n"


class ApiTable(CheckCase):
    check = "tests/arch/check_api_table"

    def page(self, rows):
        self.write("docs/API.md", f"# x\n{MARKS[0]}\n{HEAD}{rows}{MARKS[1]}\nend\n")

    def setUp(self):
        super().setUp()
        self.write("src/api/routes.c", ROUTES)

    def test_the_same_routes_are_accepted(self):
        self.page(OPEN + X)
        self.accepts()

    def test_a_tree_without_an_api_is_accepted(self):
        (self.tree / "src/api/routes.c").unlink()
        self.accepts()

    def test_a_route_that_the_page_does_not_know(self):
        self.page(OPEN)
        self.refuses("is missing: | `POST /v1/x/{id}`")

    def test_a_route_that_is_no_more(self):
        self.page(OPEN + X + "| `GET /old` | Old | open |\n")
        self.refuses("is there no more: | `GET /old`")

    def test_another_order(self):
        self.page(X + OPEN)
        self.refuses("another order")

    def test_another_verb(self):
        self.page(OPEN + X.replace("read", "post"))
        self.refuses("is missing")

    def test_no_summary(self):
        self.write("src/api/routes.c", ROUTES.replace('.summary = "Do x"', ".mutates = true"))
        self.page(OPEN + X)
        self.refuses("has no summary")

    def test_a_row_in_another_form(self):
        self.write("src/api/routes.c", ROUTES.replace("ACCESS_SESSION_READ", "(SOME)"))
        self.page(OPEN + X)
        self.refuses("could be read")

    def test_a_page_without_marks(self):
        self.write("docs/API.md", "# x\n")
        self.refuses("marks")
