#include "app/config_yaml.h"

#include "harness.h"

/* The tree on one line: {key:value,...} [a,b] 'quoted' plain, each with its line:column. */
static void
show(const struct config_node *n, struct buf *out)
{
	const struct config_node *child = n->children;

	if (n->key.ptr)
		buf_printf(out, STR_FMT "@%d:%d=", STR_ARG(n->key), n->key_at.line,
			   n->key_at.column);
	if (n->type == CONFIG_NODE_SCALAR)
		buf_printf(out, n->plain ? STR_FMT : "'" STR_FMT "'", STR_ARG(n->text));
	else
		buf_putc(out, n->type == CONFIG_NODE_MAP ? '{' : '[');
	for (; child; child = child->next) {
		show(child, out);
		buf_puts(out, child->next ? "," : "");
	}
	if (n->type != CONFIG_NODE_SCALAR)
		buf_putc(out, n->type == CONFIG_NODE_MAP ? '}' : ']');
	buf_printf(out, "@%d:%d", n->at.line, n->at.column);
}

static const struct row {
	const char *name, *text, *tree, *problems;
} ROWS[] = {
	{ "L2 an empty file is an empty map", "", "{}@1:1", "" },
	{ "L2 a file of comments too", "# nothing\n", "{}@1:1", "" },
	{ "L2 an empty document too", "---\n", "{}@2:1", "" },
	{ "L2 a byte order mark is skipped",
	  "\xef\xbb\xbf"
	  "a: 1\n",
	  "{a@1:1=1@1:4}@1:1", "" },
	{ "L2 maps, lists and scalars know their places",
	  "a: 1\nb:\n  - x\n  - 'y'\nc: {d: \"z\"}\n",
	  "{a@1:1=1@1:4,b@2:1=[x@3:5,'y'@4:5]@3:3,c@5:1={d@5:5='z'@5:8}@5:4}@1:1", "" },
	{ "L2 a value that is left out is null", "a:\n", "{a@1:1=@1:3}@1:1", "" },
	{ "L2 a byte order mark of another encoding",
	  "\xff\xfe"
	  "a\0",
	  NULL, "1:1: this is not YAML: invalid leading UTF-8 octet" },
	{ "L2 bytes that are not UTF-8", "a: 1\nb: \xff\n", NULL,
	  "2:4: this is not YAML: invalid leading UTF-8 octet" },
	{ "L2 a control character", "a: \x01\n", NULL,
	  "1:4: this is not YAML: control characters are not allowed" },
	{ "L2 an open bracket", "a: [1, 2\nb: 3\n", NULL,
	  "2:2: this is not YAML: did not find expected ',' or ']', while parsing a flow sequence "
	  "that begins in line 1" },
	{ "L2 a tab as indentation", "a:\n\tb: 1\n", NULL,
	  "2:1: this is not YAML: a tab; indent with blanks" },
	{ "L2 an anchor", "a: &x 1\n", "{a@1:1=1@1:4}@1:1",
	  "1:4: anchors (&name) are not allowed; write the value out" },
	{ "L2 an anchor on a list", "a: &x [1]\n", "{a@1:1=[1@1:8]@1:4}@1:1",
	  "1:4: anchors (&name) are not allowed; write the value out" },
	{ "L2 an anchor on a map", "a: &x {b: 1}\n", "{a@1:1={b@1:8=1@1:11}@1:4}@1:1",
	  "1:4: anchors (&name) are not allowed; write the value out" },
	{ "L2 an alias", "a: &x 1\nb: *x\n", "{a@1:1=1@1:4,b@2:1=''@2:4}@1:1",
	  "1:4: anchors (&name) are not allowed; write the value out\n"
	  "2:4: aliases (*name) are not allowed; write the value out" },
	{ "L2 a tag", "a: !!str 1\n", "{a@1:1=1@1:4}@1:1", "1:4: tags (!name) are not allowed" },
	{ "L2 a tag on a map", "a: !x {}\n", "{a@1:1={}@1:4}@1:1",
	  "1:4: tags (!name) are not allowed" },
	{ "L2 a key twice", "a: 1\nb: 2\na: 3\n", "{a@1:1=1@1:4,b@2:1=2@2:4}@1:1",
	  "3:1: 'a' stands twice, first in line 1" },
	{ "L2 the same key with quotes", "a: 1\n\"a\": 3\n", "{a@1:1=1@1:4}@1:1",
	  "2:1: 'a' stands twice, first in line 1" },
	{ "L2 a list as a key", "? [a]\n: 1\n", "{}@1:1", "1:3: a key must be text, not a list" },
	{ "L2 a map as a key", "{a: 1}: 1\n", "{}@1:1", "1:1: a key must be text, not a map" },
	{ "L2 a NUL in a text", "a: \"x\\0y\"\n", "{a@1:1=''@1:4}@1:1",
	  "1:4: a text must not hold a NUL (\\0)" },
	{ "L2 a NUL in a key", "\"x\\0y\": 1\n", "{}@1:1",
	  "1:1: a text must not hold a NUL (\\0)" },
	{ "L2 a second document", "a: 1\n---\nb: 2\n", "{a@1:1=1@1:4}@1:1",
	  "2:1: a second document begins here; only one is allowed" },
	{ "L2 rubbish behind the end", "a: 1\n...\n}\n", NULL,
	  "3:1: this is not YAML: did not find expected <document start>" },
	{ "L2 several problems at once", "a: &x 1\na: !y 2\n", "{a@1:1=1@1:4}@1:1",
	  "1:4: anchors (&name) are not allowed; write the value out\n"
	  "2:1: 'a' stands twice, first in line 1\n"
	  "2:4: tags (!name) are not allowed" },
};

static void
check_parse(const char *name, struct str text, const char *tree, const char *problems)
{
	struct config_problems p;
	struct config_node *root;
	struct arena a;
	struct buf got;

	arena_init(&a);
	buf_init(&got, 100000);
	config_problem_init(&p, "");
	root = config_yaml_parse(&a, text, &p);
	if (root)
		show(root, &got);
	check_str(name, buf_str(&got), str_of(tree));
	buf_clear(&got);
	for (size_t i = 0; i < p.count; i++)
		buf_printf(&got, "%s%d:%d: %s", i > 0 ? "\n" : "", p.list[i].at.line,
			   p.list[i].at.column, p.list[i].text);
	check_str(name, buf_str(&got), str_of(problems));
	buf_release(&got);
	arena_release(&a);
}

static void
parses(void **state)
{
	const struct row *r = *state;

	check_parse(r->name, str_of(r->text), r->tree, r->problems);
}

/* open or close, count times. */
static void
repeat(struct buf *b, const char *what, size_t count)
{
	for (size_t i = 0; i < count; i++)
		buf_puts(b, what);
}

static size_t
problems_of(struct buf *text, const char *want)
{
	struct config_problems p;
	struct arena a;

	arena_init(&a);
	config_problem_init(&p, "");
	if (!config_yaml_parse(&a, buf_str(text), &p))
		check_str("limit", str_of(p.list[0].text), str_of(want));
	arena_release(&a);
	buf_clear(text);
	return p.count;
}

static void
L2_depth_is_limited(void **state)
{
	static const char WANT[] = "too deep: over 16 levels inside one another";
	struct buf b;

	(void)state;
	buf_init(&b, 10000);
	repeat(&b, "[", CONFIG_YAML_DEPTH_MAX);
	repeat(&b, "]", CONFIG_YAML_DEPTH_MAX);
	assert_int_equal(problems_of(&b, ""), 0);
	repeat(&b, "[", CONFIG_YAML_DEPTH_MAX + 1);
	repeat(&b, "]", CONFIG_YAML_DEPTH_MAX + 1);
	assert_int_equal(problems_of(&b, WANT), 1);
	repeat(&b, "{a: ", CONFIG_YAML_DEPTH_MAX + 1);
	assert_int_equal(problems_of(&b, WANT), 1);
	buf_release(&b);
}

static void
L2_the_number_of_values_is_limited(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 1000000);
	buf_puts(&b, "[");
	repeat(&b, "1,", CONFIG_YAML_NODES_MAX - 1);
	buf_puts(&b, "]");
	assert_int_equal(problems_of(&b, ""), 0);
	buf_puts(&b, "[");
	repeat(&b, "1,", CONFIG_YAML_NODES_MAX);
	buf_puts(&b, "]");
	assert_int_equal(problems_of(&b, "too much: over 10000 values"), 1);
	buf_release(&b);
}

static void
L2_the_size_is_limited(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, CONFIG_YAML_BYTES_MAX + 1);
	repeat(&b, "#", CONFIG_YAML_BYTES_MAX);
	assert_int_equal(problems_of(&b, ""), 0);
	repeat(&b, "#", CONFIG_YAML_BYTES_MAX + 1);
	assert_int_equal(problems_of(&b, "too large: over 1048576 bytes"), 1);
	buf_release(&b);
}

static void
null_is_only_null_without_quotes(void **state)
{
	static const struct config_node NODES[] = {
		{ .plain = true, .text = { "", 0 } },
		{ .plain = true, .text = { "~", 1 } },
		{ .plain = true, .text = { "null", 4 } },
		{ .plain = false, .text = { "null", 4 } },
		{ .plain = true, .text = { "nul", 3 } },
		{ .type = CONFIG_NODE_MAP, .plain = true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(NODES); i++)
		assert_int_equal(config_node_is_null(&NODES[i]), i < 3);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, parses);
	SUITE_TEST(&s, L2_depth_is_limited);
	SUITE_TEST(&s, L2_the_number_of_values_is_limited);
	SUITE_TEST(&s, L2_the_size_is_limited);
	SUITE_TEST(&s, null_is_only_null_without_quotes);
	return suite_run(&s, "app/config_yaml");
}
