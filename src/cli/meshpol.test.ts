import { describe, expect, test } from 'vitest';
import { runMeshpol } from './meshpol.ts';
import { run } from './testing/run-meshpol.ts';

describe('meshpol', () => {
  test.each([
    ['--help', 0, 'Examples:'],
    ['help compile', 0, '--workload'],
    ['version', 0, 'meshpol '],
    ['schema', 0, 'PeerAuthentication\n'],
    ['schema peerauthentication', 0, '"$ref": "#/$defs/common/$defs/metadata"'],
    ['schema LintReport', 0, '"title": "LintReport"'],
  ])('prints for %s', async (args, expected, text) => {
    const { code, out } = await run(args);
    expect([code, out.includes(text)]).toEqual([expected, true]);
  });

  test.each([
    ['', 2, 'Usage:'],
    ['comple', 2, "meshpol: unknown command 'comple'\n(Did you mean compile?)\n(meshpol --help says more)\n"],
    ['compile --outptu x', 2, 'Did you mean --output?'],
    ['compile', 2, 'no inputs'],
    ['compile a --format xml', 2, 'json, yaml'],
    ['compile a --workload cart', 2, 'NAMESPACE/NAME'],
    ...['compile a', 'lint a', 'explain a', 'describe a/b a', 'test a', 'prove a', 'replay a'].map(
      (command): [string, number, string] => [`${command} --trust-domain A.example`, 2, 'Expected a trust domain'],
    ),
    ['inject -f a --revision A_b', 2, 'at most 42 of a-z, 0-9'],
    ['compile a --exclude=', 2, "argument '' is invalid. Expected a pattern as in .gitignore"],
    ...[
      'compile a --output=',
      'compile a --check=',
      'compile a --filename=',
      'compile a --meshConfig=',
      'compile a --templateFile=',
      'lint a --filename=',
      'lint a --config=',
      'lint a --meshConfig=',
      'lint a --baseline=',
      'lint a --write-baseline=',
    ].map((line): [string, number, string] => [
      line,
      2,
      "argument '' is invalid. Expected a path: an empty text names no file and no folder.",
    ]),
    ['compile a --exclude #', 2, 'this one is blank, a comment, or no name'],
    ['compile a --exclude /', 2, 'Expected a pattern'],
    ['compile a --exclude !', 2, 'Expected a pattern'],
    ['compile a --max-file-size big', 2, '16MiB'],
    ['compile a --jwks keys.json', 2, 'Expected ISSUER=FILE.'],
    ['compile a --jwks i=f --jwks i=g', 2, '"i" is named twice.'],
    [
      'compile - --jwks i=/nowhere',
      3,
      'meshpol: cannot read the key set "/nowhere": no such file or directory (ENOENT)\n',
    ],
    ['compile a --all --workload shop/cart', 2, 'exclude each other'],
    ['compile a -o b --check c', 2, 'exclude each other'],
    ['compile a -o b --delivery ads', 2, '--output concerns files'],
    ['compile a --check b --delivery ads', 2, '--check concerns files'],
    ['compile a --annotate --delivery ads', 2, '--annotate concerns files'],
    ['compile a --delivery eds', 2, 'files, ads'],
    ['schema PeerAuthentcation', 2, 'did you mean "PeerAuthentication"?'],
    ['compile /nowhere/at/all', 3, 'meshpol: cannot read "/nowhere/at/all": no such file or directory (ENOENT)\n'],
    ['compile - --meshConfig /nowhere', 3, 'ENOENT'],
    ['compile - --templateFile /nowhere', 3, 'ENOENT'],
    ['compile -', 1, 'hint: check the command before the pipe'],
    ['schema --all', 2, '--all and --output go together'],
    ['schema -o out', 2, '--all and --output go together'],
    ['schema Pod --all -o out', 2, 'leave out "Pod"'],
    ['schema --all --output=', 2, 'an empty text names no file'],
    ['schema --all -o /dev/null/x', 3, 'cannot write schemas to "/dev/null/x"'],
    ['schema Surprise', 2, 'no schema for "Surprise": "meshpol schema" lists the kinds'],
  ])('says what is wrong with %j', async (args, expected, text) => {
    const { code, out, error } = await run(args);
    expect([code, out, error.includes(text) || error]).toEqual([expected, '', true]);
  });

  test.each(['--help', 'help compile', 'version', 'schema'])(
    'ends with 3 and says so when %s cannot be printed',
    async (args) => {
      const full = Object.assign(new Error('ENOSPC: no space left on device, write'), {
        code: 'ENOSPC',
        syscall: 'write',
      });
      const errors: string[] = [];
      const code = await runMeshpol(args.split(' '), {
        stdin: (async function* () {})(),
        environment: {},
        writeOut: () => Promise.reject(full),
        writeError: async (text) => void errors.push(text),
        untilStopped: (work) => work(new AbortController().signal),
      });
      expect([code, errors]).toEqual([3, ['meshpol: no space left on device (ENOSPC)\n']]);
    },
  );
});
