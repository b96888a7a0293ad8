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
    stages,
    limits,
  },
  required: ['mcpServers'],
  additionalProperties: false,
};
