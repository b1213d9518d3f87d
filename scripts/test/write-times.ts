import { readFileSync, writeFileSync } from 'node:fs';
import { timesFile } from './times.ts';
import { timesRows, withTimes } from './times-table.ts';

// Puts the times of the last `make test` into CONTRIBUTING.md.
const page = 'CONTRIBUTING.md';
writeFileSync(page, withTimes(readFileSync(page, 'utf8'), timesRows(JSON.parse(readFileSync(timesFile, 'utf8')))));
