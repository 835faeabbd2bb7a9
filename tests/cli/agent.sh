#!/bin/sh
# Solves the task quota with the seed 7, as the example of `memkube gym run` needs it.
kubectl set resources -n media deployment crawler --requests=cpu=40m
