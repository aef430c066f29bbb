// The JavaScript peers. Arguments: the declared columns, the JSON Schema, then one file for each set, all as paths.
// Reads lines {"contender","set","runs"} and answers each with {"ns","pass","offenders"} or {"error"}; "set" is the
// index of a file, and offenders is -1 where the contender does not count. The line {"contender":"versions"} is
// answered with {"node","ajv"}; ajv is empty where it is not installed.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';

const [columnsPath, schemaPath, ...setPaths] = process.argv.slice(2);
const columns = Object.entries(JSON.parse(readFileSync(columnsPath, 'utf8')))
  .map(([name, column]) => ({ name, type: column.type ?? column, nullable: column.nullable ?? false }));
const sets = setPaths.map((path) => readFileSync(path));

let version = '';
let validate;
try {
  const require = createRequire(import.meta.url);
  const ajv = new (require('ajv/dist/2020.js').default)({ allowUnionTypes: true });
  require('ajv-formats').default(ajv);
  validate = ajv.compile(JSON.parse(readFileSync(schemaPath, 'utf8')));
  version = require('ajv/package.json').version;
} catch (error) {
  if (error.code !== 'MODULE_NOT_FOUND') throw error;
}

function offends(value, column) {
  if (value === null || value === undefined) return !column.nullable;
  switch (column.type) {
    case 'date': return !(typeof value === 'string' && !Number.isNaN(Date.parse(value)));
    case 'number': return !(typeof value === 'number' && Number.isFinite(value));
    default: return typeof value !== column.type;
  }
}

const contenders = {
  loop(bytes) {
    const rows = JSON.parse(bytes.toString('utf8'));
    let offenders = 0;
    for (const row of rows) {
      for (const column of columns) {
        if (offends(row[column.name], column)) offenders++;
      }
    }
    return { pass: offenders === 0, offenders };
  },
  ajv(bytes) {
    return { pass: validate(JSON.parse(bytes.toString('utf8'))), offenders: -1 };
  },
};

function answer({ contender, set, runs }) {
  if (contender === 'versions') return { node: process.version, ajv: version };
  const judge = contenders[contender];
  let verdict;
  const start = process.hrtime.bigint();
  for (let i = 0; i < runs; i++) verdict = judge(sets[set]);
  return { ns: Number(process.hrtime.bigint() - start), ...verdict };
}

for await (const line of createInterface({ input: process.stdin })) {
  let reply;
  try {
    reply = answer(JSON.parse(line));
  } catch (error) {
    reply = { error: String(error) };
  }
  process.stdout.write(JSON.stringify(reply) + '\n');
}
