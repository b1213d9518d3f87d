import { readFile, stat } from 'node:fs/promises';
import { relative } from 'node:path';
import type { TemplateFile } from '../compiler/render/template-file.ts';
import { loadTemplates, type Templates } from '../compiler/render/templates.ts';
import type { DiagnosticBag } from '../diagnostics/bag.ts';
import { WorldFailure } from '../lib/failure.ts';
import { explainDeadLink } from '../lib/read-file.ts';
import { compareStrings } from '../lib/sort.ts';
import { findFiles, SourceError } from '../source/find.ts';

/** The file or folder that `--templateFile` names cannot be read. */
export class TemplateError extends WorldFailure<'template-unreadable'> {
  constructor(message: string, options?: ErrorOptions) {
    super('template-unreadable', message, options);
  }
}

export interface ReadTemplates {
  /** Undefined when the bag got an error. */
  readonly value: Templates | undefined;
  readonly files: readonly TemplateFile[];
}

/**
 * A user's templates: a file is the bootstrap template, one that makes YAML when it is named
 * `.yaml` or `.yaml.tmpl`; a
 * folder replaces any of ours and of `partials/` by name. With `filesOnly` a pipe or
 * device that is named itself is refused too: who reads again and again would wait there.
 */
export async function readTemplates(
  path: string,
  bag: DiagnosticBag,
  { filesOnly = false } = {},
): Promise<ReadTemplates> {
  const files = await readTemplateFiles(path, !filesOnly);
  return { value: await loadTemplates(files, bag), files };
}

/** Those of a folder, or the one that `path` names; `takesPipes`: where it is a pipe or device, too. */
export async function readTemplateFiles(path: string, takesPipes: boolean): Promise<TemplateFile[]> {
  try {
    const isFolder = (await stat(path)).isDirectory();
    const found = await findFiles(path.replaceAll('\\', '/'), {
      ...{ seen: new Set<string>(), isWanted: isTemplate, takesPipes },
    });
    if (!isFolder) {
      const isYaml = /\.ya?ml(\.(tmpl|hbs))?$/.test(path);
      return [{ name: 'bootstrap.json.hbs', path, text: await readFile(path, 'utf8'), isYaml }];
    }
    return await Promise.all(
      found.sort(compareStrings).map(async (file) => ({
        name: relative(path, file).replaceAll('\\', '/'),
        path: file,
        text: await readFile(file, 'utf8'),
      })),
    );
  } catch (cause) {
    const reason = cause instanceof SourceError ? `: ${cause.message}` : '';
    throw new TemplateError(`cannot read the templates "${path}"${reason}`, {
      cause: await explainDeadLink(cause, path),
    });
  }
}

function isTemplate(name: string): boolean {
  return name.endsWith('.hbs');
}
