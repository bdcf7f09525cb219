#include "app/doctor_report.h"

#include "harness.h"

static void
fill(struct doctor_report *r)
{
	doctor_report_init(r);
	doctor_report_ok(r, "clock", "it is %d", 3);
	doctor_report_add(r, DOCTOR_WARN, "data", "chmod 700 a", "a is open\n\x1b[31m");
	doctor_report_add(r, DOCTOR_FAIL, "listen", "stop it", "taken");
}

static void
people_get_a_table(void **state)
{
	struct doctor_report r;
	struct buf got;

	(void)state;
	fill(&r);
	buf_init(&got, 10000);
	doctor_report_format(&r, false, &got);
	check_str("table", buf_str(&got),
		  STR("ok    clock        it is 3\n"
		      "warn  data         a is open??[31m\n"
		      "                -> chmod 700 a\n"
		      "fail  listen       taken\n"
		      "                -> stop it\n"
		      "3 checks: 1 ok, 1 to look at, 1 failed\n"));
	buf_release(&got);
	doctor_report_release(&r);
}

static void
programs_get_an_object(void **state)
{
	struct doctor_report r;
	struct buf got;

	(void)state;
	fill(&r);
	buf_init(&got, 10000);
	doctor_report_format(&r, true, &got);
	check_str("json", buf_str(&got),
		  STR("{\"ok\":false,\"warnings\":1,\"failures\":1,\"checks\":["
		      "{\"check\":\"clock\",\"verdict\":\"ok\",\"found\":\"it is "
		      "3\",\"advice\":null},"
		      "{\"check\":\"data\",\"verdict\":\"warn\",\"found\":\"a is open??[31m\","
		      "\"advice\":\"chmod 700 a\"},"
		      "{\"check\":\"listen\",\"verdict\":\"fail\",\"found\":\"taken\","
		      "\"advice\":\"stop it\"}]}\n"));
	buf_release(&got);
	doctor_report_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, people_get_a_table);
	SUITE_TEST(&s, programs_get_an_object);
	return suite_run(&s, "app/doctor_report");
}
