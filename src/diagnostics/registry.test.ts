import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { compilerCodes } from './catalogue/compiler.ts';
import { configCodes } from './catalogue/config.ts';
import { fieldCodes } from './catalogue/field.ts';
import { gatewayCodes } from './catalogue/gateway.ts';
import { gatewayApiCodes } from './catalogue/gateway-api.ts';
import { injectionCodes } from './catalogue/injection.ts';
import { policyCodes } from './catalogue/policy.ts';
import { sourceCodes } from './catalogue/source.ts';
import { topologyCodes } from './catalogue/topology.ts';
import { verifyCodes } from './catalogue/verify.ts';
import { registry } from './registry.ts';

const root = join(import.meta.dirname, '../..');
const codes = Object.keys(registry);

/** Reported while files are found and read, before there is a text to keep as a case; shown in read.test.ts. */
const beforeAnyText = [
  'empty-file',
  'empty-input',
  'file-too-large',
  'skipped-by-name',
  'exclude-without-file',
  'excluded-inputs',
];

/** Told of folders of other programs; shown in unrendered.test.ts. */
const ofFolders = ['alternatives-left-out', 'patches-left-out', 'templates-left-out'];

/** Too large to be kept as a case; shown in parse.test.ts. */
const tooLarge = ['text-too-long'];

/** Faults of what only the agent reads, or what only programs that run are told; shown beside its readers. */
const ofTheAgent = [
  'closing-gateway-secret',
  'emptied-file',
  'invalid-bootstrap',
  'invalid-node-metadata',
  'invalid-pod-info',
  'missing-destination',
  'missing-destination-port',
  'replaced-objects',
  'root-namespace-changed',
];

/** Faults of pods that get a proxy, which the compiler does not make; shown in the room of injection. */
const ofInjection = Object.keys(injectionCodes);

describe('registry', () => {
  test('names every fault in kebab case', () => {
    expect(codes.filter((code) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(code))).toEqual([]);
  });

  test('gives each code to one fault', () => {
    const keys = [
      sourceCodes,
      fieldCodes,
      policyCodes,
      topologyCodes,
      configCodes,
      compilerCodes,
      gatewayCodes,
      gatewayApiCodes,
      injectionCodes,
      verifyCodes,
    ].flatMap(Object.keys);
    expect(keys.sort()).toEqual([...codes].sort());
  });

  test('writes messages as one sentence without a full stop', () => {
    const faulty = Object.entries(registry).filter(([, { message }]) => {
      const text = (message as (holes: unknown) => string)(new Proxy({}, { get: () => 'x' }));
      return text.endsWith('.');
    });
    expect(faulty.map(([code]) => code)).toEqual([]);
  });

  test('has a case under fixtures/err that shows every code', () => {
    const shown = readdirSync(join(root, 'golden/err')).flatMap((name) => {
      const text = readFileSync(join(root, 'golden/err', name, 'diagnostics.txt'), 'utf8');
      return [...text.matchAll(/\[([a-z0-9-]+)\]$/gm)].map(([, code]) => code);
    });
    expect(
      codes.filter(
        (code) =>
          !shown.includes(code) &&
          ![...beforeAnyText, ...ofFolders, ...tooLarge, ...ofTheAgent, ...ofInjection].includes(code),
      ),
    ).toEqual([]);
  });

  test('has a section in the documentation for every code, and for nothing else', () => {
    const documented = readFileSync(join(root, 'docs/reference/diagnostics.md'), 'utf8').matchAll(
      /^## `?([a-z0-9-]+)`?$/gm,
    );
    expect([...documented].map(([, code]) => code).sort()).toEqual([...codes].sort());
  });
});
