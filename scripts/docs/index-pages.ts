import { readFileSync } from 'node:fs';
import { type Part, parts } from './contents.ts';

const introduction =
  'Documentation of `meshpol`, `pilot-agent` and `meshd`, in four parts. Each page ends with a link to the next one.';

/** `docs/README.md` and the index of each part: path and text, without the link to the next page. */
export function indexPages(): readonly (readonly [path: string, text: string])[] {
  const sections = parts.map(
    (part) =>
      `## [${part.title}](${part.folder}/README.md)\n\n${part.introduction}\n\n${pageList(part, `${part.folder}/`)}`,
  );
  return [
    ['docs/README.md', `# Documentation\n\n${introduction}\n\n${sections.join('\n\n')}\n`],
    ...parts.map(
      (part) =>
        [
          `docs/${part.folder}/README.md`,
          `# ${part.title}\n\n${part.introduction}\n\n${pageList(part, '')}\n`,
        ] as const,
    ),
  ];
}

/** Every page of the documentation, in reading order. */
export function pagePaths(): readonly string[] {
  return [
    'docs/README.md',
    ...parts.flatMap(({ folder, pages }) =>
      ['README', ...pages.map(({ name }) => name)].map((name) => `docs/${folder}/${name}.md`),
    ),
  ];
}

function pageList({ folder, pages }: Part, prefix: string): string {
  return pages
    .map(({ name, summary }) => `- [${titleOf(`docs/${folder}/${name}.md`)}](${prefix}${name}.md): ${summary}`)
    .join('\n');
}

/** The heading of a page. */
export function titleOf(path: string): string {
  const [, title] = /^# (.+)$/m.exec(readFileSync(path, 'utf8')) ?? [];
  if (title === undefined) throw new Error(`${path} has no heading "# …"`);
  return title;
}
