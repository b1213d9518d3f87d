import { readFileSync } from 'node:fs';
import { expect } from 'vitest';

/** A file that a guide tells its reader to write, or a block of commands with the output that the guide shows. */
export type GuideStep =
  | { readonly kind: 'file'; readonly path: string; readonly text: string }
  | { readonly kind: 'run'; readonly script: string; readonly output: string | undefined };

const fence = /^```(\S*)(?: (\S+))?\n([\s\S]*?)^```$/gm;

/**
 * The steps of a guide in their order. A code block whose first line is a comment with a path is a file; a block of `sh`
 * is run, unless it is marked `norun`; a block of `text` is what the commands before it print.
 */
export function guideSteps(page: string): readonly GuideStep[] {
  const steps: GuideStep[] = [];
  for (const [, language = '', mark, text = ''] of readFileSync(page, 'utf8').matchAll(fence)) {
    if (mark === 'norun') continue;
    const [, path] = /^(?:#|\/\/) ([\w./-]+\.\w+)\n/.exec(text) ?? [];
    const last = steps.at(-1);
    if (path !== undefined) steps.push({ kind: 'file', path, text });
    else if (language === 'sh') steps.push({ kind: 'run', script: text, output: undefined });
    else if (language === 'text' && last?.kind === 'run') steps.splice(-1, 1, { ...last, output: text });
    else throw new Error(`${page}: a code block that is neither a file, commands nor output: ${text}`);
  }
  return steps;
}

/** Stands in the output before the exit code of a step. */
const marker = '=== guide step ended with ';

/** One script of all steps, in one shell as a reader has one; `folder` takes the place of the guide's own. */
export function guideScript(steps: readonly GuideStep[], folder: string): string {
  const parts = steps.map((step) => {
    const script =
      step.kind === 'run'
        ? step.script
        : `mkdir -p "$(dirname ${step.path})"; cat > ${step.path} <<'GUIDE'\n${step.text}GUIDE\n`;
    return `{ ${inFolder(script, folder)}\n} 2>&1 </dev/null; echo "${marker}$?"\n`;
  });
  return parts.join('');
}

/** Every step ended well, or printed the lines that the guide shows, in their order; `…` stands for any text. */
export function expectGuide(steps: readonly GuideStep[], printed: string, folder: string): void {
  const results = printed.replaceAll('\r', '').split(marker);
  for (const [i, step] of steps.entries()) {
    const before = results[i] ?? '';
    const output = i === 0 ? before : before.slice(before.indexOf('\n') + 1);
    const exitCode = Number.parseInt(results[i + 1] ?? '-1', 10);
    if (step.kind === 'run' && step.output !== undefined) {
      const missing = firstMissing(inFolder(step.output, folder), output);
      expect({ missing, output }).toMatchObject({ missing: undefined });
    } else {
      expect({ step, exitCode, output }).toMatchObject({ exitCode: 0 });
    }
  }
}

/** The first line that is shown and does not come, after those before it, in the output. */
function firstMissing(shown: string, output: string): string | undefined {
  const lines = output.split('\n');
  return shown.split('\n').find((line) => {
    const pattern = new RegExp(`^${line.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '.*')}$`);
    const at = line === '…' || line === '' ? -1 : lines.findIndex((one) => pattern.test(one));
    lines.splice(0, at + 1);
    return at === -1 && line !== '…' && line !== '';
  });
}

/** Each guide has a folder of its own, so that what one left behind is no input of another. */
function inFolder(text: string, folder: string): string {
  return text.replace(/\bmy-(?:mesh|program|identity|calls)(?=[/ \n]|$)/gm, folder);
}
