#!/bin/sh
# Does nothing: tests replace it with a fake.
:
