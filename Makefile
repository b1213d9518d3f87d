# Every target sets up what it needs first; a second run finds it done.
.DEFAULT_GOAL := help
SHELL := /bin/bash
# The Node that set-up fetches, whatever the machine has.
export PATH := $(CURDIR)/.tools/bin:$(PATH)
VITEST := node node_modules/vitest/vitest.mjs

.PHONY: help setup generate build test unit touched golden e2e one times lint types check bench soak soak-faults demo demo-fleet virtual-machines cluster old-and-new docs clean

help: ## this list
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

setup: ## install Envoy, Node 24 and 22, npm packages, and system packages that the tests need
	@scripts/setup.sh

generate: setup ## validators and templates as code (src/generated)
	@node scripts/generate.mjs

build: generate ## the programs, bundled into dist/
	@node scripts/build.mjs

test: build ## all tests: unit, golden, end to end, on Node 24; unit tests on Node 22 too
	@node scripts/test.mjs

one: $(if $(findstring .e2e.,$(FILE)),build,generate) ## one test file: make one FILE=src/watch/watch.test.ts
	@$(VITEST) run $(or $(FILE),$(error name the file: make one FILE=src/watch/watch.test.ts))

times: ## write a table of where the time of the last `make test` went into CONTRIBUTING.md
	@node scripts/times.mjs

unit: generate ## the unit tests
	@$(VITEST) run --project unit

touched: generate ## the unit tests of the repository itself, and those that can notice what differs from the upstream branch
	@base=$$(git merge-base HEAD '@{upstream}' 2>&1) || { echo "$$base; so all unit tests run"; exec $(VITEST) run --project unit; }; \
	$(VITEST) run --project unit scripts && $(VITEST) run --project unit --changed "$$base"

golden: generate ## write the expected output (golden/) again from fixtures/, remove orphans, and print what changed
	@UPDATE_GOLDEN=1 $(VITEST) run --project unit src/compiler/golden.test.ts src/injection/golden.test.ts

e2e: build ## the tests with real Envoys, sockets and network namespaces
	@$(VITEST) run --project 'e2e*'

lint: generate ## formatter and linter
	@node_modules/.bin/biome check --error-on-warnings .

types: generate ## the check of types, which keeps in .cache what it found out about unchanged files
	@node_modules/.bin/tsc -p . --incremental --tsBuildInfoFile .cache/types.tsbuildinfo

check: generate ## what a push must pass: types, lint, the unit tests that the change touches, goldens, documents
	@TEST_RUN=check $(MAKE) --no-print-directory --jobs=3 --output-sync=target --old-file=generate touched lint types
	@node scripts/docs.mjs --check
	@git diff --exit-code --stat -- golden docs

docs: generate ## write the generated documents again
	@node scripts/docs.mjs

bench: build ## measure the figures of docs/project/performance.md
	@node --expose-gc bench/run.mjs

soak: build ## long runs, by hand: randomized tests with 20 times the iterations, then mutation tests
	@SOAK=1 $(VITEST) run $$(grep -rlE "testing/effort.ts'" src e2e --include='*.test.ts' --include='*.e2e.ts')
	@node scripts/mutate.mjs --count 150 --end-to-end

soak-faults: build ## faults at random while probes call and policies change: make soak-faults MESH=machines MINUTES=30
	@node scripts/soak-faults.mjs "$(MESH)" "$(MINUTES)" $(SEED)

demo: build ## meshes of real Envoys: expected and actual result of each call, and tokens at a gateway
	@node scripts/demo.mjs

demo-fleet: build ## meshd, a gateway and ten sidecars: how fast each edit of a policy reaches each proxy, while meshd is killed and restarted
	@node scripts/demo-fleet.mjs

virtual-machines: build ## a mesh without Kubernetes: Consul, two meshd, six workloads under systemd, policies from git, DNS of the mesh
	@node scripts/virtual-machines.mjs

cluster: build ## a Kubernetes API server, meshd and two namespaces of pods, for your own kubectl in another terminal, until Ctrl-C
	@exec node scripts/cluster.mjs

old-and-new: build ## agents of an older commit with this meshd, and the other way round: make old-and-new REV=main~100
	@node scripts/old-and-new.mjs $(REV)

clean: ## remove build output, keep downloaded tools and packages
	@rm -rf dist src/generated coverage .cache
