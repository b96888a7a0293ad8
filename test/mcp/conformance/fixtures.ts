import { content, createRegistry, createRouter, defineTool, type Router, type Tool, ToolError } from 'callgate';
import { type McpClientOfCall, mcpClient } from 'callgate/mcp';

// The tools that the official conformance suite calls; their names, arguments and answers are fixed by the suite.

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const wav = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA==';
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50));

function tool(name: string, handler: Tool['handler'], parameters: Tool['parameters'] = { type: 'object' }): Tool {
  return { name, description: `Fixture of the conformance suite: ${name}.`, permission: 'read', parameters, handler };
}

function text(...names: string[]): Tool['parameters'] {
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]));
  return { type: 'object', properties, required: names };
}

function clientOf(context: Parameters<typeof mcpClient>[0]): McpClientOfCall {
  const client = mcpClient(context);
  if (client === undefined) throw new ToolError('This call did not come over MCP.', { code: 'unavailable' });
  return client;
}

/** A form with these properties, all required. */
function form(message: string, properties: { [name: string]: unknown }): { [name: string]: unknown } {
  return { message, requestedSchema: { type: 'object', properties, required: Object.keys(properties) } };
}

function said(answer: unknown): { action?: string; content?: { [name: string]: unknown } } {
  const { action } = (answer ?? {}) as { action?: unknown };
  if (action === undefined) throw new ToolError('The client sent something that is no answer.');
  return answer as { action?: string; content?: { [name: string]: unknown } };
}

const ask = { role: 'user', content: { type: 'text', text: 'What is the capital of France?' } };

const plain: Tool[] = [
  tool('test_simple_text', () => 'This is a simple text response for testing.'),
  tool('test_image_content', () => content([{ type: 'image', data: png, mimeType: 'image/png' }])),
  tool('test_audio_content', () => content([{ type: 'audio', data: wav, mimeType: 'audio/wav' }])),
  tool('test_embedded_resource', () =>
    content([
      {
        type: 'resource',
        resource: {
          uri: 'test://embedded-resource',
          mimeType: 'text/plain',
          text: 'This is an embedded resource content.',
        },
      },
    ]),
  ),
  tool('test_multiple_content_types', () =>
    content([
      'Multiple content types test:',
      { type: 'image', data: png, mimeType: 'image/png' },
      {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: '{"test":"data","value":123}',
        },
      },
    ]),
  ),
  tool('test_error_handling', () => {
    throw new ToolError('This tool intentionally returns an error for testing');
  }),
  tool('test_tool_with_progress', async (_args, { progress }) => {
    for (const at of [0, 50, 100]) {
      progress({ progress: at, total: 100 });
      await pause();
    }
    return 'Done with progress.';
  }),
  tool('test_tool_with_logging', async (_args, context) => {
    for (const line of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      clientOf(context).log('info', line);
      await pause();
    }
    return 'Done with logging.';
  }),
  tool('test_logging_tool', (_args, context) => {
    clientOf(context).log('info', 'Only for those who asked for it.');
    return 'Done.';
  }),
  tool('json_schema_2020_12_tool', () => 'Fits.', {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: {
      address: {
        $anchor: 'addressDef',
        type: 'object',
        properties: { street: { type: 'string' }, city: { type: 'string' } },
      },
    },
    properties: {
      name: { type: 'string' },
      address: { $ref: '#/$defs/address' },
      contactMethod: { type: 'string', enum: ['phone', 'email'] },
      phone: { type: 'string' },
      email: { type: 'string' },
    },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: ['phone'] },
    else: { required: ['email'] },
    additionalProperties: false,
  } as Tool['parameters']),
];

// A value that travels in a header as well, so that those who route requests need not read them.
const headed = tool('test_custom_headers', (args) => JSON.stringify(args), {
  type: 'object',
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    query: { type: 'string' },
  },
  required: ['region'],
} as Tool['parameters']);

const asking: Tool[] = [
  tool(
    'test_sampling',
    async (args, context) => {
      const { prompt } = args as { prompt: string };
      const messages = [{ role: 'user', content: { type: 'text', text: prompt } }];
      const answer = await clientOf(context).sample({ messages, maxTokens: 100 });
      return `LLM response: ${JSON.stringify((answer as { content?: unknown }).content)}`;
    },
    text('prompt'),
  ),
  tool(
    'test_elicitation',
    async (args, context) => {
      const { message } = args as { message: string };
      const fields = {
        username: { type: 'string', description: "User's response" },
        email: { type: 'string', description: "User's email address" },
      };
      return `User response: ${JSON.stringify(await clientOf(context).elicit(form(message, fields)))}`;
    },
    text('message'),
  ),
  tool('test_elicitation_sep1034_defaults', async (_args, context) => {
    const { action, content } = said(
      await clientOf(context).elicit({
        message: 'Please review and update the form fields with defaults',
        requestedSchema: {
          type: 'object',
          properties: {
            name: { type: 'string', default: 'John Doe' },
            age: { type: 'integer', default: 30 },
            score: { type: 'number', default: 95.5 },
            status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
            verified: { type: 'boolean', default: true },
          },
        },
      }),
    );
    return `Elicitation completed: action=${action}, content=${JSON.stringify(content)}`;
  }),
  tool('test_elicitation_sep1330_enums', async (_args, context) => {
    const three = ['option1', 'option2', 'option3'];
    const titled = ['First', 'Second', 'Third'].map((title, at) => ({ const: `value${at + 1}`, title }));
    const { action, content } = said(
      await clientOf(context).elicit({
        message: 'Please choose',
        requestedSchema: {
          type: 'object',
          properties: {
            untitledSingle: { type: 'string', enum: three },
            titledSingle: { type: 'string', oneOf: titled },
            legacyEnum: {
              type: 'string',
              enum: ['opt1', 'opt2', 'opt3'],
              enumNames: ['Option One', 'Option Two', 'Option Three'],
            },
            untitledMulti: { type: 'array', items: { type: 'string', enum: three } },
            titledMulti: { type: 'array', items: { anyOf: titled } },
          },
        },
      }),
    );
    return `Elicitation completed: action=${action}, content=${JSON.stringify(content)}`;
  }),
  tool('test_missing_capability', async (_args, context) => {
    await clientOf(context).sample({ messages: [ask], maxTokens: 10 });
    return 'The client can sample.';
  }),
  tool('test_streaming_elicitation', async (_args, context) =>
    JSON.stringify(await clientOf(context).elicit(form('Go on?', { ok: { type: 'boolean' } }))),
  ),
  tool('test_input_required_result_elicitation', async (_args, context) => {
    const question = form('What is your name?', { name: { type: 'string' } });
    for (;;) {
      const { action, content } = said(await clientOf(context).elicit(question, { name: 'user_name' }));
      if (action === 'accept' && typeof content?.['name'] === 'string') return `Hello, ${content['name']}!`;
      throw new ToolError('A name is needed.');
    }
  }),
  tool('test_input_required_result_sampling', async (_args, context) =>
    JSON.stringify(await clientOf(context).sample({ messages: [ask], maxTokens: 100 }, { name: 'capital_question' })),
  ),
  tool('test_input_required_result_list_roots', async (_args, context) =>
    JSON.stringify(await clientOf(context).roots({ name: 'client_roots' })),
  ),
  tool('test_input_required_result_request_state', async (_args, context) => {
    said(await clientOf(context).elicit(form('Please confirm', { ok: { type: 'boolean' } }), { name: 'confirm' }));
    return 'state-ok';
  }),
  tool('test_input_required_result_tampered_state', async (_args, context) => {
    said(await clientOf(context).elicit(form('Please confirm', { ok: { type: 'boolean' } }), { name: 'confirm' }));
    return 'state-ok';
  }),
  tool('test_input_required_result_multiple_inputs', async (_args, context) => {
    const client = clientOf(context);
    const messages = [{ role: 'user', content: { type: 'text', text: 'Generate a greeting' } }];
    const answers = await Promise.all([
      client.elicit(form('What is your name?', { name: { type: 'string' } }), { name: 'user_name' }),
      client.sample({ messages, maxTokens: 50 }, { name: 'greeting' }),
      client.roots({ name: 'client_roots' }),
    ]);
    return JSON.stringify(answers);
  }),
  tool('test_input_required_result_multi_round', async (_args, context) => {
    const client = clientOf(context);
    await client.elicit(form('Step 1: What is your name?', { name: { type: 'string' } }), { name: 'step1' });
    await client.elicit(form('Step 2: What is your favorite color?', { color: { type: 'string' } }), { name: 'step2' });
    return 'Both steps are done.';
  }),
  tool('test_input_required_result_capabilities', async (_args, context) => {
    const client = clientOf(context);
    const answers = await Promise.all([
      client.can('sample') ? client.sample({ messages: [ask], maxTokens: 10 }) : undefined,
      client.can('elicit') ? client.elicit(form('Go on?', { ok: { type: 'boolean' } })) : undefined,
    ]);
    return JSON.stringify(answers);
  }),
];

/** A router of callgate with the suite's tools. */
export function fixtureRouter(): Router {
  const registry = createRegistry([...plain, headed, ...asking]);
  registry.add(
    tool('test_trigger_tool_change', () => {
      const added = defineTool({
        name: 'test_added_tool',
        description: 'Added while the server ran.',
        permission: 'read',
        parameters: { type: 'object' },
        handler: () => 'Here.',
      });
      registry.add(added);
      return 'The tools have changed.';
    }),
  );
  return createRouter({ registry });
}
