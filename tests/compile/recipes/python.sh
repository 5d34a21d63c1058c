#!/usr/bin/env python3
import os

with open(os.environ["heat_outputs_path"] + ".url", "w") as output:
    output.write("http://it's/")
