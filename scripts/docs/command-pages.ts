import { optionsOf, synopsisOf } from './command-options.ts';

/** Begins what is made from the program, up to the next heading: `<!-- synopsis of pilot-agent proxy -->`. */
const marker = /<!-- (synopsis|options) of ([^>]*) -->\n[\s\S]*?(?=\n##)/g;

/** A page with the synopses and options of the commands that its markers name. */
export function withCommands(text: string): string {
  return text.replace(marker, (_, what: string, name: string) => {
    const made = what === 'options' ? optionsOf(name) : `\`\`\`text\n${synopsisOf(name)}\n\`\`\``;
    return `<!-- ${what} of ${name} -->\n\n${made}\n`;
  });
}

/** Headings of a command's page, in their order; `Description` may have parts of its own. */
export const commandHeadings: readonly string[] = [
  'Synopsis',
  'Description',
  'Options',
  'Examples',
  'Exit codes',
  'Environment',
  'See also',
];
