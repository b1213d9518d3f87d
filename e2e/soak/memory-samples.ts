/** Kinds of programs whose memory is watched, by a word of their command lines. */
const kinds = {
  meshd: /\bmeshd(\.js)?$/,
  agents: /\bpilot-agent(\.js)?$/,
  Envoys: /\benvoy( |$)/,
  Consul: /\bconsul( |$)/,
} as const;
export type ProgramKind = keyof typeof kinds;

/** Prints resident KiB and command line of each process; one that has ended, and that nobody waits for, has no memory. */
export const memoryScript = `
for folder in /proc/[0-9]*; do
  { rss=$(awk '/^VmRSS/ {print $2}' $folder/status); line=$(tr '\\0' ' ' < $folder/cmdline); } 2>/dev/null || continue
  if [ -n "$rss" ]; then echo "$rss $line"; fi
done
`;

/** Memory of the programs of each kind together, over time. */
export class MemorySamples {
  readonly #samples: { readonly atMs: number; readonly kiB: ReadonlyMap<ProgramKind, number> }[] = [];

  /** `listed` is what the script printed. */
  add(listed: string, atMs: number): void {
    const kiB = new Map<ProgramKind, number>();
    for (const line of listed.split('\n')) {
      const [, rss = '', command = ''] = /^(\d+) (.*)$/.exec(line) ?? [];
      // Envoy's command line names files of the agent, and the agent's names Envoy: the program itself decides.
      const program = command.split(' ').slice(0, 2).join(' ');
      const kind = (Object.keys(kinds) as ProgramKind[]).find((name) => kinds[name].test(program));
      if (kind !== undefined) kiB.set(kind, (kiB.get(kind) ?? 0) + Number(rss));
    }
    this.#samples.push({ atMs, kiB });
  }

  /** Mean of a kind in a part of the run, in MiB; undefined: there is no sample of it. */
  mean(kind: ProgramKind, fromMs: number, untilMs: number): number | undefined {
    const found = this.#samples.flatMap(({ atMs, kiB }) =>
      atMs >= fromMs && atMs < untilMs ? (kiB.get(kind) ?? []) : [],
    );
    return found.length === 0 ? undefined : found.reduce((sum, each) => sum + each, 0) / found.length / 1024;
  }

  get kinds(): readonly ProgramKind[] {
    const found = new Set(this.#samples.flatMap(({ kiB }) => [...kiB.keys()]));
    return (Object.keys(kinds) as ProgramKind[]).filter((kind) => found.has(kind));
  }
}
