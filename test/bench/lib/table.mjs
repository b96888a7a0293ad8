const number = (value) =>
  value === undefined ? '' : value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);

/**
 * A row: `group`, `what`, `against`, `value` (and `low`, `high`, its 95 % interval), `wall` beside it, `unit` (nothing for a
 * ratio of CPU time), `atMost` or `atLeast` (the goal), `skipped` (why there is no value). Or `counts` and their `limits`.
 */
export function met(row) {
  if (row.counts !== undefined && row.limits !== undefined) {
    return Object.entries(row.limits).every(([name, limit]) => row.counts[name] <= limit);
  }
  if (row.skipped !== undefined || row.value === undefined) return undefined;
  if (row.atMost !== undefined) return row.value <= row.atMost;
  if (row.atLeast !== undefined) return row.value >= row.atLeast;
  return undefined;
}

const verdict = (holds) => (holds === undefined ? '' : holds ? 'yes' : '**no**');

function cells(row) {
  if (row.skipped !== undefined) return [row.what, row.against ?? '', `not run: ${row.skipped}`, '', '', '', ''];
  const unit = row.unit === undefined ? '' : ` ${row.unit}`;
  const goal =
    row.atMost !== undefined ? `<= ${row.atMost}${unit}` : row.atLeast !== undefined ? `>= ${row.atLeast}${unit}` : '';
  return [
    row.what,
    row.against ?? '',
    `${number(row.value)}${unit}`,
    row.low === undefined ? '' : `${number(row.low)} to ${number(row.high)}`,
    number(row.wall),
    goal,
    verdict(met(row)),
  ];
}

const line = (values) => `| ${values.join(' | ')} |`;
const columns = ['promises', 'turns', 'timers', 'signals', 'bytes', 'immediatesInOneTurn'];

function countsTable(rows) {
  const head = [
    'a call makes',
    'promises',
    'microtask turns',
    'timers',
    'AbortSignals',
    'bytes',
    'immediates in 500 calls',
    'met',
  ];
  const cell = ({ counts, limits }, name) =>
    limits?.[name] === undefined ? String(counts[name]) : `${counts[name]} (<= ${limits[name]})`;
  return [
    line(head),
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |',
    ...rows.map((row) => line([row.what, ...columns.map((name) => cell(row, name)), verdict(met(row))])),
  ].join('\n');
}

function ratiosTable(rows) {
  const head = ['case', 'against', 'value', '95 % interval', 'by wall clock', 'goal', 'met'];
  return [line(head), '| --- | --- | ---: | ---: | ---: | ---: | --- |', ...rows.map((row) => line(cells(row)))].join(
    '\n',
  );
}

/** All rows as Markdown: the table of ratios, and the table of counts where they were taken. */
export function markdown(rows) {
  const counted = rows.filter(({ counts }) => counts !== undefined);
  const others = rows.filter(({ counts }) => counts === undefined);
  const tables = [];
  if (counted.length > 0) tables.push(countsTable(counted));
  if (others.length > 0) tables.push(ratiosTable(others));
  return tables.join('\n\n');
}
