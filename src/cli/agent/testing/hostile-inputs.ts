const policy = (paths: readonly string[], field = 'action'): string => `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: hostile, namespace: foo}
spec: {${field}: DENY, rules: [{to: [{operation: {paths: ${JSON.stringify(paths)}}}]}]}
`;

/** A policy file that costs much for its size, less than 16 MiB, and what the agent says of it. */
export interface HostileInput {
  readonly text: () => string;
  readonly outcome: RegExp;
  /** It takes long, and shows little that the others do not. */
  readonly isLong?: true;
}

/** Inputs that once kept the agent from answering, and their neighbours. */
export const hostileInputs: Readonly<Record<string, HostileInput>> = {
  'eight thousand faulty documents': { text: () => '---\nspec: b\n'.repeat(8_000), outcome: /8000 errors/ },
  'a million faulty documents': {
    text: () => '---\nspec: b\n'.repeat(1_300_000),
    outcome: /1300000 errors/,
    isLong: true,
  },
  'faulty policies': { text: () => `---\n${policy(['/a'], 'actoin')}`.repeat(4_000), outcome: /4000 errors/ },
  'policies of one name': { text: () => `---\n${policy(['/a'])}`.repeat(5_000), outcome: /duplicate-object/ },
  'a path of 15 MB': { text: () => policy([`/${'a'.repeat(15_000_000)}`]), outcome: /text-too-long/ },
  'a hundred thousand paths': {
    text: () => policy(Array.from({ length: 100_000 }, (_, i) => `/path/${i}`)),
    outcome: /the configuration of this proxy would grow to \d+ MiB, more than 24 MiB/,
  },
};

/** Partials of which each calls the next one twice, and the last writes nothing: no machine sees their end. */
export function doublingPartials(): Readonly<Record<string, string>> {
  const levels = Array.from({ length: 60 }, (_, i) => [`d${i}`, `{{> d${i + 1}}}{{> d${i + 1}}}`] as const);
  return Object.fromEntries([...levels, ['d60', '']]);
}
