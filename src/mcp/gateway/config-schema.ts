import { errorCodes } from '../../errors.ts';
import type { JsonSchemaObject } from '../../schema/json-schema.ts';

const text = { type: 'string', minLength: 1 } as const;
const texts = { type: 'array', items: text } as const;
const count = { type: 'integer', minimum: 1 } as const;
const milliseconds = { type: 'number', exclusiveMinimum: 0 } as const;
const environment = { type: 'object', additionalProperties: { type: 'string' } } as const;

const server = {
  description: 'A server that is started (command) or reached over HTTP (url).',
  type: 'object',
  properties: {
    command: { ...text, description: 'The program to start. The server speaks over its standard input and output.' },
    args: {
      type: 'array',
      items: { type: 'string' },
      description: `Its arguments; \${NAME} is an environment variable.`,
    },
    env: {
      ...environment,
      description: 'Environment variables for it, beside the few that every server gets (PATH, HOME ...).',
    },
    cwd: { ...text, description: 'The folder in which it runs. Default: the folder of this file.' },
    url: { ...text, description: 'The address of a server that speaks HTTP.' },
    headers: {
      ...environment,
      description: `HTTP headers, such as Authorization; \${NAME} is an environment variable.`,
    },
    type: { enum: ['stdio', 'http', 'streamable-http', 'sse'], description: 'May be left out.' },
    required: { type: 'boolean', description: 'Nothing starts when this server does not. Default false.' },
    disabled: { type: 'boolean', description: 'Leave this server out. Default false.' },
  },
  additionalProperties: false,
} as const;

const guard = {
  description: 'What the tools that a name or a pattern (fs.*) stands for do with their arguments.',
  type: 'object',
  properties: {
    paths: {
      description: 'Which arguments are paths, and what for. An argument is a property name or a JSON pointer.',
      type: 'object',
      additionalProperties: { enum: ['read', 'write'] },
    },
    urls: { ...texts, description: 'Which arguments are URLs.' },
    commands: {
      description: 'Which arguments are command lines.',
      anyOf: [texts, { type: 'object', additionalProperties: { enum: ['shell', 'python'] } }],
    },
    permission: {
      ...text,
      description:
        'How much they can do: read, write, execute, network, dangerous. Default: none, so that most modes ask.',
    },
  },
  additionalProperties: false,
} as const;

const whole = { type: 'integer', minimum: 0 } as const;
const span = { type: 'number', minimum: 0 } as const;
const perTime = { type: 'number', exclusiveMinimum: 0 } as const;
const tools = { ...texts, minItems: 1, description: 'Names of tools, or patterns (web.*). Default: all.' } as const;

const rate = {
  type: 'object',
  properties: {
    tools,
    perSecond: { ...perTime, description: 'Calls a second; one of perSecond, perMinute and perHour is needed.' },
    perMinute: { ...perTime, description: 'Calls a minute.' },
    perHour: { ...perTime, description: 'Calls an hour.' },
    burst: { ...count, description: 'How many may come at once after a quiet time. Default: the number above.' },
    shared: { type: 'boolean', description: 'Whether all principals share the limit. Default false.' },
    maxWait: { ...span, description: 'How long a call may wait for its turn, in milliseconds. Default 0.' },
  },
  additionalProperties: false,
} as const;

/** Stages for tools that fail and models that repeat themselves; see docs/resilience.md. */
const resilience = {
  dedupe: {
    description: 'A call that is made twice within a time is done once: for tools that change something.',
    type: 'object',
    properties: { tools, window: { ...span, description: 'For how long, in milliseconds. Default 10000.' } },
    additionalProperties: false,
  },
  cache: {
    description: 'Keeps the answers of tools whose level is read, until something changes.',
    type: 'object',
    properties: {
      tools,
      ttl: { ...span, description: 'For how long, in milliseconds. Default 30000.' },
      maxEntries: { ...count, description: 'How many answers. Default 1000.' },
      maxBytes: { ...count, description: 'How much they may take together. Default 67108864.' },
    },
    additionalProperties: false,
  },
  retry: {
    description: 'Tries again what may go away by itself: for tools whose level is read, and those that are safe.',
    type: 'object',
    properties: {
      tools,
      attempts: { ...count, description: 'How often a call is tried altogether. Default 3.' },
      delay: { ...span, description: 'The longest first wait, in milliseconds; it doubles. Default 200.' },
      maxDelay: { ...span, description: 'The longest wait, in milliseconds. Default 10000.' },
      budget: { ...span, description: 'How long all of it may take, in milliseconds. Default 60000.' },
      safe: { ...texts, description: 'Names, or patterns, of other tools that may be called twice. Default: none.' },
    },
    additionalProperties: false,
  },
  circuitBreaker: {
    description: 'Leaves alone for a while what has failed again and again.',
    type: 'object',
    properties: {
      tools,
      failures: { ...count, description: 'How many failures in a row. Default 5.' },
      within: { ...milliseconds, description: 'Those further apart are not in a row, in milliseconds. Default 60000.' },
      openFor: { ...milliseconds, description: 'For how long, in milliseconds. Default 30000.' },
      probes: { ...count, description: 'How many calls then have to succeed. Default 1.' },
      codes: {
        type: 'array',
        items: { enum: [...errorCodes] },
        minItems: 1,
        description: 'Which failures count. Default: unavailable and timeout.',
      },
    },
    additionalProperties: false,
  },
  rateLimit: {
    description: 'So many calls of each tool in a time; a list for different limits.',
    anyOf: [rate, { type: 'array', items: rate, minItems: 1 }],
  },
  concurrency: {
    description: 'How many calls may be at work at the same time; the others wait.',
    type: 'object',
    properties: {
      total: { ...count, description: 'In all.' },
      perTool: {
        description: 'Of each tool, or of single tools by their names.',
        anyOf: [count, { type: 'object', additionalProperties: count }],
      },
      queue: { ...whole, description: 'How many may wait. Default 10000.' },
      wait: { ...milliseconds, description: 'How long one may wait, in milliseconds. Default: no limit.' },
    },
    additionalProperties: false,
  },
} as const;

const stages = {
  description: 'Stages beside the default ones.',
  type: 'object',
  properties: {
    audit: {
      description: 'Writes a JSON line for every call: the name of a file, or an object with it.',
      anyOf: [
        text,
        {
          type: 'object',
          properties: { file: text, arguments: { type: 'boolean' }, maxArgumentCharacters: { ...count, minimum: 64 } },
          required: ['file'],
          additionalProperties: false,
        },
      ],
    },
    budget: {
      description: 'How many calls may be made until the gateway ends.',
      type: 'object',
      properties: { calls: count, perTool: { type: 'object', additionalProperties: count } },
      additionalProperties: false,
    },
    loopGuard: {
      description: 'Stops a call that has given the same result again and again.',
      type: 'object',
      properties: { repeats: count },
      additionalProperties: false,
    },
    ...resilience,
  },
  additionalProperties: false,
} as const;

const limits = {
  description: 'How large things may be.',
  type: 'object',
  properties: {
    maxCharacters: { ...count, minimum: 256, description: 'Of data in a result. Default 262144.' },
    maxErrorCharacters: { ...count, minimum: 256, description: 'Of an error. Default 8192.' },
    maxBinaryCharacters: { ...count, description: 'Of images and the like in a result, as base64. Default 16777216.' },
    maxArgumentBytes: { ...count, description: 'Of the arguments of a call. Default 1048576.' },
  },
  additionalProperties: false,
} as const;

const urls = {
  description: 'Which URLs may be in arguments that are declared as URLs. Default: public hosts.',
  type: 'object',
  properties: {
    allow: texts,
    deny: texts,
    ports: { type: 'array', items: { type: 'integer', minimum: 1, maximum: 65535 } },
    privateAddresses: texts,
  },
  additionalProperties: false,
} as const;

/** JSON Schema (draft-07) of a gateway's configuration file; `callgate.schema.json` is the same for editors. */
export const configSchema: JsonSchemaObject = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'callgate gateway',
  description: 'The MCP servers behind a gateway, and what may be done with their tools.',
  type: 'object',
  properties: {
    $schema: { type: 'string' },
    mcpServers: {
      description: 'The servers, by the names that their tools begin with: the tool read_file of fs is fs.read_file.',
      type: 'object',
      additionalProperties: server,
    },
    guards: { description: 'By the names of tools, or patterns.', type: 'object', additionalProperties: guard },
    roots: { ...texts, description: 'The folders that arguments declared as paths may lie in.' },
    mode: { ...text, description: 'plan, ask (default), auto, trusted, or a mode of the policy.' },
    policy: {
      description: 'The rules: the name of a policy file, or what would stand in it.',
      anyOf: [text, { type: 'object' }],
    },
    urls,
    timeout: { ...milliseconds, description: 'The most that a call may take, in milliseconds. Default 30000.' },
    secrets: { ...texts, description: 'Names of environment variables whose values never leave in a result.' },
    identities: {
      ...text,
      description:
        'A file that remembers what tools say of themselves, so that a change is asked about after a restart.',
    },
    approvals: {
      enum: ['elicit', 'deny'],
      description: 'Who is asked about calls that need it: the person at the client (elicit, default), or nobody.',
    },
    stages,
    limits,
  },
  required: ['mcpServers'],
  additionalProperties: false,
};
