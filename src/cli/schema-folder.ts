import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { WorldFailure } from '../lib/failure.ts';
import { makeFolder } from '../lib/make-folder.ts';
import { replaceFile } from '../lib/replace-file.ts';
import { combinedSchema } from '../library/combined-schema.ts';
import { schemaKinds, schemaOf } from '../library/schemas.ts';
import { projectFileName } from '../source/project-file.ts';

/** The schema that chooses by apiVersion and kind. */
const combinedFile = 'all.json';

/**
 * Writes a schema for each kind, the one that chooses among them, and a catalogue of the YAML language server. Gives the
 * comment that names the schema in a file. Throws a WorldFailure where the folder cannot be written.
 */
export async function writeSchemas(folder: string): Promise<string> {
  const files = new Map<string, object | undefined>(schemaKinds().map((kind) => [`${kind}.json`, schemaOf(kind)]));
  files.set(combinedFile, combinedSchema());
  files.set('catalog.json', catalogue(folder));
  try {
    await makeFolder(folder, 0o777);
    for (const [name, content] of files) {
      await replaceFile(join(folder, name), `${JSON.stringify(content, null, 2)}\n`);
    }
  } catch (cause) {
    throw new WorldFailure('output-unwritable', `cannot write schemas to "${folder}"`, { cause });
  }
  return `# yaml-language-server: $schema=${urlOf(folder, combinedFile)}\n`;
}

/** In the form of the catalogue of SchemaStore, which says which schema is for which files. */
function catalogue(folder: string): object {
  return {
    $schema: 'https://json.schemastore.org/schema-catalog.json',
    version: 1,
    schemas: [
      {
        name: 'Mesh policies and topology',
        description: 'Chooses the schema of a document by apiVersion and kind; documents of other kinds hold.',
        fileMatch: ['*.yaml', '*.yml'],
        url: urlOf(folder, combinedFile),
      },
      {
        name: 'Settings of meshpol',
        description: 'Settings of a folder and of those below it.',
        fileMatch: [projectFileName],
        url: urlOf(folder, 'ProjectFile.json'),
      },
    ],
  };
}

function urlOf(folder: string, name: string): string {
  return pathToFileURL(resolve(folder, name)).href;
}
