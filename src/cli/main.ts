#!/usr/bin/env node
import { commandLine } from './command-line.ts';
import { sendConsoleTo } from './console.ts';
import { processIo } from './io.ts';

sendConsoleTo(process.stderr);
// Everything is written by now, and a tool that was given up may hold the process open for as long as it likes.
process.exit(await commandLine(process.argv.slice(2), processIo()));
