import { readFileSync } from 'node:fs';

interface Specification {
  readonly commands: readonly { readonly name: string; readonly flags: readonly SpecifiedFlag[] }[];
  readonly commonFlags: readonly SpecifiedFlag[];
}

export interface SpecifiedFlag {
  readonly name: string;
  /** As the specification prints it; empty text for none. */
  readonly default: string;
}

/** The specification's flags of these commands, the common ones among them; the command without the program's name. */
export function readSpecificationFlags(
  names: readonly string[],
): readonly { readonly command: string; readonly flags: readonly SpecifiedFlag[] }[] {
  const path = new URL('../../../../fixtures/specification.json', import.meta.url);
  const { commands, commonFlags } = JSON.parse(readFileSync(path, 'utf8')) as Specification;
  return commands
    .filter(({ name }) => names.includes(name))
    .map(({ name, flags }) => ({
      command: name.replace('pilot-agent ', ''),
      flags: [...flags, ...commonFlags],
    }));
}
