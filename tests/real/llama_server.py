"""llama.cpp's server over one model: prints its address, and ends when its input is closed.

Arguments: the model's file, and as JSON what `CommonParams` shall say, with `sampling` for the parameters of sampling.
"""

import json
import os
import sys

import xllamacpp


def take(target, given):
    for name, value in given.items():
        if name == "sampling":
            take(target.sampling, value)
        else:
            setattr(target, name, value)


params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
take(params, json.loads(sys.argv[2]))
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
# The server's threads have nothing to save.
os._exit(0)
