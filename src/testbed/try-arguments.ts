import { parseArgs } from 'node:util';

/** The command line of `scripts/mesh.mjs`. */
export interface TryArguments {
  readonly folder: string;
  /** Pods, by `namespace/name`, in which the command runs, one after the other. */
  readonly from: readonly string[];
  /** Pods whose proxy's log is printed in the end. */
  readonly log: readonly string[];
  readonly command: readonly string[];
}

export const usage = `usage: node scripts/mesh.mjs FOLDER --from NAMESPACE/POD [--from …] [--log NAMESPACE/POD …] -- COMMAND [ARG…]

Runs the mesh that the YAML files of FOLDER describe: a network namespace for each pod, the program that its container's
"command" names, and a sidecar where one is injected. Runs COMMAND in the pods that --from names, prints the log of the
proxies that --log names, and removes everything. The exit code is that of the last COMMAND.
`;

/** The arguments, or what is wrong with them. */
export function readTryArguments(argv: readonly string[]): TryArguments | string {
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  const command = argv.slice(end + 1);
  const options = { from: { type: 'string', multiple: true }, log: { type: 'string', multiple: true } } as const;
  try {
    const { values, positionals } = parseArgs({ args: argv.slice(0, end), options, allowPositionals: true });
    const [folder, ...more] = positionals;
    if (folder === undefined || more.length > 0) return 'expected one folder';
    if (values.from === undefined) return 'expected --from NAMESPACE/POD';
    if (command.length === 0) return 'expected a command after "--"';
    return { folder, from: values.from, log: values.log ?? [], command };
  } catch (error) {
    return (error as Error).message;
  }
}
