# For a Makefile: include lint.mk
MESHPOL_PATHS ?= .
LINT_BASELINE ?= lint-baseline.json

.PHONY: lint lint-fix lint-baseline

lint: ## new findings alone, where a baseline is there
	meshpol lint $(MESHPOL_PATHS) --fail-on warning $(if $(wildcard $(LINT_BASELINE)),--baseline $(LINT_BASELINE))

lint-fix: ## make the fixes that are safe
	meshpol lint $(MESHPOL_PATHS) --fix

lint-baseline: ## accept what is found now
	meshpol lint $(MESHPOL_PATHS) --quiet --write-baseline $(LINT_BASELINE)
