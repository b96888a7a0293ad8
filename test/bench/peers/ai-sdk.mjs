import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { jsonSchema, tool } from 'ai';
import Ajv from 'ajv';
import { z } from 'zod';

/**
 * The two functions through which generateText takes every tool call. They are not exported, so the built module is read
 * and written beside itself with one more export; measuring generateText whole would measure its model loop.
 */
async function internals() {
  const folder = dirname(createRequire(import.meta.url).resolve('ai'));
  const opened = join(folder, 'index.opened-for-bench.mjs');
  if (!existsSync(opened)) {
    const source = readFileSync(join(folder, 'index.mjs'), 'utf8');
    writeFileSync(opened, `${source}\nexport { parseToolCall, executeToolCall, getTracer };\n`);
  }
  return import(pathToFileURL(opened).href);
}

function ajvSchema(parameters) {
  const validate = new Ajv.default().compile(parameters);
  return jsonSchema(parameters, {
    validate: (value) =>
      validate(value)
        ? { success: true, value }
        : { success: false, error: new Error(JSON.stringify(validate.errors)) },
  });
}

export async function contender({ description, handler, parameters }, variant) {
  const { parseToolCall, executeToolCall, getTracer } = await internals();
  const inputSchema = variant === 'ajv' ? ajvSchema(parameters) : z.object({ a: z.number(), b: z.number() }).strict();
  const tools = { add: tool({ description, inputSchema, execute: (input) => handler(input) }) };
  const tracer = getTracer({ isEnabled: false });
  const messages = [];
  const call = async ({ id, name, arguments: input }) => {
    const toolCall = await parseToolCall({
      toolCall: { type: 'tool-call', toolCallId: id, toolName: name, input },
      tools,
      repairToolCall: undefined,
      system: undefined,
      messages,
    });
    // As generateText does: an invalid call is answered, never run.
    if (toolCall.invalid) return { type: 'tool-error', toolCallId: id, toolName: name, error: toolCall.error };
    return executeToolCall({ toolCall, tools, tracer, telemetry: undefined, messages, abortSignal: undefined });
  };
  return { call, pick: (result) => result.output };
}
