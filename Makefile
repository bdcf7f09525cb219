# Thin front: each target calls scripts under tools/, where the logic lives.
.DEFAULT_GOAL := build
.PHONY: build run test check front proof bench fuzz coverage lint format clean help

build:          ## compile build/perdure
	@tools/setup build
	@tools/build release

run: build      ## build, then run the server on 127.0.0.1:7340 with its data in ./data
	@exec build/perdure serve --data data

test:           ## every suite in every build (20 minutes at most on 2 cores)
	@tools/setup server
	@tools/run_tests test

check:          ## before each commit: format, layers, sizes, unit tests (under 2 minutes)
	@tools/setup test
	@tools/run_tests check

front:          ## what uses the program from outside, and which clauses that proves (5 minutes)
	@tools/setup server
	@tools/run_tests front

proof:          ## the full counts: many seeds, long fuzzing, coverage, benchmarks (75 minutes at most)
	@tools/setup server
	@tools/run_tests proof

bench:          ## benchmarks against their baselines, into build/bench/results.json
	@tools/setup test
	@tools/run_bench

fuzz:           ## fuzz every target; make fuzz SECONDS=300 TARGET=json
	@tools/setup test
	@tools/build fuzz
	@tools/run_fuzz --seconds $(or $(SECONDS),60) $(TARGET)

coverage:       ## line and branch coverage of src/core, with its thresholds
	@tools/setup test
	@tools/run_coverage

lint:           ## clang-tidy; informs, never fails
	@tools/lint

format:         ## clang-format every C file in place
	@git ls-files '*.c' '*.h' | xargs -r clang-format -i

clean:          ## remove everything built
	@rm -rf build

help:           ## this list
	@sed -n 's/^\([a-z]*\):[^#]*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12
