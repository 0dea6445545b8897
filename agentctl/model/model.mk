# model.mk: the small model, made anew. Needs python3-torch and libopenblas0-serial (make
# model-deps); takes MODEL_SECONDS of training on two cores, a little more than an hour.
#   model         train, measure and put the result into agentctl/model/checkpoint
#   model-smoke   two minutes of the same, elsewhere: does it learn at all?
#   model-tools   tools.json from the table of calls

MODEL         := agentctl/model
MODEL_SECONDS ?= 6600
MODEL_OUT     ?= $(B)/model
MODEL_PYTHON  ?= /usr/bin/python3

model-deps:
	$(Q)DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends \
		python3-torch libopenblas0-serial </dev/null

model:
	$(Q)$(MODEL_PYTHON) $(MODEL)/train.py $(MODEL_OUT) --seconds $(MODEL_SECONDS)
	$(Q)$(MODEL_PYTHON) $(MODEL)/evaluate.py $(MODEL_OUT) --threshold 0.8 --calibrate
	$(Q)mkdir -p $(MODEL)/checkpoint && cd $(MODEL_OUT) && \
		cp config.json tokenizer.json model.safetensors $(CURDIR)/$(MODEL)/checkpoint/
	$(Q)cd $(MODEL)/checkpoint && sha256sum config.json tokenizer.json model.safetensors > SHA256SUMS

model-smoke:
	$(Q)$(MODEL_PYTHON) $(MODEL)/train.py $(MODEL_OUT)-smoke --seconds 120 --smoke

model-tools:
	$(Q)cd $(MODEL) && $(MODEL_PYTHON) make_tools.py > tools.json

.PHONY: model-deps model model-smoke model-tools
