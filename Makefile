# Every target sets up what it needs first; a second run finds it done.
.DEFAULT_GOAL := help
SHELL := /bin/bash
# The Node that set-up fetches, whatever the machine has.
export PATH := $(CURDIR)/.tools/bin:$(PATH)
VITEST := node node_modules/vitest/vitest.mjs

.PHONY: help setup generate build test unit golden e2e one times lint check bench soak demo demo-fleet cluster docs clean

help: ## this list
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

setup: ## install Envoy, Node 24 and 22, npm packages and what the tests need of the system
	@scripts/setup.sh

generate: setup ## validators and templates, compiled ahead (src/generated)
	@node scripts/generate.mjs

build: generate ## the programs, bundled into dist/
	@node scripts/build.mjs

test: build ## all tests: unit, golden, end to end, on Node 24; unit tests on Node 22 too
	@node scripts/test.mjs

one: $(if $(findstring .e2e.,$(FILE)),build,generate) ## one test file: make one FILE=src/watch/watch.test.ts
	@$(VITEST) run $(or $(FILE),$(error name the file: make one FILE=src/watch/watch.test.ts))

times: ## write where the time of the last `make test` went into CONTRIBUTING.md
	@node scripts/times.mjs

unit: generate ## the tests that start no process
	@$(VITEST) run --project unit

golden: generate ## write the goldens again from fixtures/, remove orphans, and say what changed
	@UPDATE_GOLDEN=1 $(VITEST) run --project unit src/compiler/golden.test.ts

e2e: build ## the tests with real Envoys, sockets and network namespaces
	@$(VITEST) run --project 'e2e*'

lint: generate ## formatter and linter
	@node_modules/.bin/biome check --error-on-warnings .

check: lint ## what a push must pass: types, lint, unit tests, goldens, documents
	@node_modules/.bin/tsc -p .
	@$(VITEST) run --project unit
	@node scripts/docs.mjs --check
	@git diff --exit-code --stat -- golden docs

docs: generate ## write the generated documents again
	@node scripts/docs.mjs

bench: build ## the figures of docs/project/performance.md
	@node --expose-gc bench/run.mjs

soak: build ## long runs, by hand: many more generated meshes, broken configurations, values a property, policy changes under load, changes of the source
	@SOAK=1 $(VITEST) run $$(grep -rlE "testing/effort.ts'" src e2e --include='*.test.ts' --include='*.e2e.ts')
	@node scripts/mutate.mjs --count 150 --end-to-end

demo: build ## the specification's outcome table, and its tokens at a gateway, on real Envoys
	@node scripts/demo.mjs

demo-fleet: build ## meshd, a gateway and ten sidecars: when each change reaches each proxy, and meshd killed while requests go on
	@node scripts/demo-fleet.mjs

cluster: build ## a Kubernetes API server, meshd and the first mesh, for kubectl in another terminal, until Ctrl-C
	@exec node scripts/cluster.mjs

clean: ## remove what was made, keep what was fetched
	@rm -rf dist src/generated coverage .cache
