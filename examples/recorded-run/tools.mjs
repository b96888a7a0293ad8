import { setTimeout as sleep } from 'node:timers/promises';
import { content, defineTool } from 'callgate';

const nothing = { type: 'object', properties: {}, additionalProperties: false };

const queryMetric = defineTool({
  name: 'query_metric',
  description: 'Totals of one metric by month.',
  parameters: {
    type: 'object',
    properties: {
      metric: { type: 'string', enum: ['revenue', 'request', 'click'] },
      months: { type: 'integer', minimum: 1, maximum: 12, default: 3 },
    },
    required: ['metric'],
    additionalProperties: false,
  },
  permission: 'read',
  // What databases give: a Map, with numbers too large for JSON.
  handler: ({ metric, months }) =>
    new Map([
      ['metric', metric],
      ['months', months],
      ['total', 9_007_199_254_740_993n],
    ]),
});

const fetchReport = defineTool({
  name: 'fetch_report',
  description: 'Fetch the yearly report. Slow.',
  parameters: nothing,
  permission: 'read',
  timeout: 250,
  handler: async (_, { signal }) => {
    await sleep(60_000, undefined, { signal });
    return 'the report';
  },
});

const legacyLookup = defineTool({
  name: 'legacy_lookup',
  description: 'Look a customer up in the old system.',
  parameters: { type: 'object', properties: { customer: { type: 'string' } }, required: ['customer'] },
  permission: 'read',
  handler: ({ customer }) => {
    throw `E42: customer ${customer} is locked by another session`;
  },
});

const indexNotes = defineTool({
  name: 'index_notes',
  description: 'Read all notes and build the search index.',
  parameters: nothing,
  permission: 'read',
  handler: async function* () {
    const total = 6;
    for (let progress = 1; progress <= total; progress++) {
      await sleep(150);
      yield { progress, total, message: `${progress} of ${total} notes` };
    }
    return { indexed: total };
  },
});

const renderChart = defineTool({
  name: 'render_chart',
  description: 'Draw a chart of a metric.',
  parameters: { type: 'object', properties: { metric: { type: 'string' } }, required: ['metric'] },
  permission: 'read',
  handler: ({ metric }) => content([`A chart of ${metric}:`, { type: 'image', data: pixel, mimeType: 'image/png' }]),
});

// One transparent pixel.
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

const exportLog = defineTool({
  name: 'export_log',
  description: 'The whole log of a day, one event a line.',
  parameters: nothing,
  permission: 'read',
  handler: () =>
    Array.from({ length: 5_000 }, (_, at) => `event ${at + 1}: GET /lamps/${(at * 37) % 500} 200`).join('\n'),
});

const showSettings = defineTool({
  name: 'show_settings',
  description: 'The settings of the shop.',
  parameters: nothing,
  permission: 'read',
  // Put together here, so that nothing that looks like a key stands in a file.
  handler: () => `currency=EUR\nAPI_TOKEN=${'ghp_'}${'Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z0123'}\nrounding=2\n`,
});

const sendInvoice = defineTool({
  name: 'send_invoice',
  description: 'Send an invoice to a customer.',
  parameters: {
    type: 'object',
    properties: { customer: { type: 'string' }, amount: { type: 'number', minimum: 0 } },
    required: ['customer', 'amount'],
    additionalProperties: false,
  },
  permission: 'network',
  handler: ({ customer }) => `sent to ${customer}`,
});

export const shopTools = [
  queryMetric,
  fetchReport,
  legacyLookup,
  indexNotes,
  renderChart,
  exportLog,
  showSettings,
  sendInvoice,
];
