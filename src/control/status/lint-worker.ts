// The program of the thread that lints a mesh once, and ends.

import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { readSettings } from '../../config/read.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { lintTexts, todayInUtc } from '../../lint/lint-texts.ts';
import { allRules } from '../../lint/rule-index.ts';
import type { LintData, LintFound } from './mesh-linter.ts';

if (parentPort === null) throw new Error('this program is a thread of meshd, and does nothing by itself');
void tellFindings(parentPort, workerData as LintData);

async function tellFindings(port: MessagePort, data: LintData): Promise<void> {
  port.postMessage(await findingsOf(data));
}

async function findingsOf({ files, settings: options }: LintData): Promise<readonly LintFound[]> {
  const bag = new DiagnosticBag();
  const { settings } = await readSettings(options, bag);
  const project = { config: {}, pathOf: () => undefined };
  const mesh = { inputs: files, sources: [], settings, rules: allRules, project, today: todayInUtc() };
  const { findings } = lintTexts(mesh, bag).result;
  return findings.map(({ code, message, span }) => ({ code, message, ...(span && { span }) }));
}
