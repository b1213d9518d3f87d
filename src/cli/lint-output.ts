import { formatGithub } from '../diagnostics/formats/github.ts';
import { formatBlocks } from '../diagnostics/formats/text.ts';
import { WorldFailure } from '../lib/failure.ts';
import { replaceFile } from '../lib/replace-file.ts';
import { formatGitlab } from '../lint/formats/gitlab.ts';
import { formatHtml } from '../lint/formats/html.ts';
import { formatLintJson, lintJson } from '../lint/formats/json.ts';
import { formatJunit } from '../lint/formats/junit.ts';
import { formatMarkdown } from '../lint/formats/markdown.ts';
import { formatSarif } from '../lint/formats/sarif.ts';
import type { LintReport } from '../lint/report.ts';
import { textOf } from '../output/format.ts';
import type { CliIo } from './io.ts';
import type { LintForm, LintOutput } from './lint-settings.ts';

/** The forms of `meshpol lint`: for people, for programs, for what code hosts and their jobs show. */
const forms: Readonly<Record<LintForm, (report: LintReport, maxDiagnostics: number) => string>> = {
  text: ({ findings }, max) =>
    formatBlocks(
      findings.map(({ placed }) => placed),
      max,
    ),
  json: formatLintJson,
  yaml: (report) => textOf(lintJson(report), 'yaml'),
  sarif: formatSarif,
  junit: formatJunit,
  github: ({ findings }) => formatGithub(findings.map(({ placed }) => placed)),
  gitlab: formatGitlab,
  markdown: formatMarkdown,
  html: formatHtml,
};

/** Writes each output; the file of one is whole or, when writing fails, the command ends with 3. */
export async function writeLintOutputs(
  report: LintReport,
  outputs: readonly LintOutput[],
  maxDiagnostics: number,
  io: CliIo,
): Promise<void> {
  for (const { form, file } of outputs) {
    const text = forms[form](report, maxDiagnostics);
    if (file === undefined) await io.writeOut(text);
    else await write(file, text);
  }
}

async function write(file: string, text: string): Promise<void> {
  try {
    await replaceFile(file, text);
  } catch (cause) {
    throw new WorldFailure('output-unwritable', `cannot write "${file}"`, { cause });
  }
}
