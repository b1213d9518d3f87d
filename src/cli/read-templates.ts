import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { TemplateFile } from '../compiler/render/template-file.ts';
import { loadTemplates, type Templates } from '../compiler/render/templates.ts';
import type { DiagnosticBag } from '../diagnostics/bag.ts';

/** The file or folder that `--templateFile` names cannot be read. */
export class TemplateError extends Error {
  readonly code = 'template-unreadable';
}

export interface ReadTemplates {
  /** Undefined when the bag got an error. */
  readonly value: Templates | undefined;
  readonly files: readonly TemplateFile[];
}

/** A user's templates: a file is the bootstrap template, one that makes YAML when it is named `.yaml` or `.yaml.tmpl`; a folder replaces any of ours and of `partials/` by name. */
export async function readTemplates(path: string, bag: DiagnosticBag): Promise<ReadTemplates> {
  const files = await readTemplateFiles(path);
  return { value: await loadTemplates(files, bag), files };
}

async function readTemplateFiles(path: string): Promise<TemplateFile[]> {
  try {
    if (!(await stat(path)).isDirectory()) {
      const isYaml = /\.ya?ml(\.(tmpl|hbs))?$/.test(path);
      return [{ name: 'bootstrap.json.hbs', path, text: await readFile(path, 'utf8'), isYaml }];
    }
    const names = await readdir(path, { recursive: true });
    const templates = names.map((name) => name.replaceAll('\\', '/')).filter((name) => name.endsWith('.hbs'));
    return await Promise.all(
      templates.sort().map(async (name) => ({
        name,
        path: join(path, name).replaceAll('\\', '/'),
        text: await readFile(join(path, name), 'utf8'),
      })),
    );
  } catch (cause) {
    throw new TemplateError(`cannot read the templates "${path}"`, { cause });
  }
}
