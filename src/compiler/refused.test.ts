import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../config/defaults.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import type { JsonPath } from '../diagnostics/span.ts';
import { parse } from '../source/parse.ts';
import { runs } from '../testing/effort.ts';
import { meshTopology } from '../testing/generated-mesh.ts';
import { policies, policyFiles } from '../testing/generated-policies.ts';
import { createCompiler } from './compile.ts';

const topology = meshTopology();
const compiler = createCompiler({ settings: defaultSettings });

describe('compile', () => {
  test('gives nothing for a policy that is wrong in one place, and names the place', () => {
    fc.assert(
      fc.property(policies(), fc.nat(), fc.nat(), (all, which, where) => {
        const index = which % all.length;
        // By way of text: a value that stands in two places may be one object, which would be wrong in both.
        const policy = JSON.parse(JSON.stringify(all[index])) as (typeof all)[number];
        const mistakes = mistakesIn(policy.spec, ['spec']);
        const mistake = mistakes[where % mistakes.length] as Mistake;
        mistake.make();
        const files = policyFiles(all.with(index, policy));
        const bag = new DiagnosticBag();
        const compilation = compiler.compile([topology, ...files], 'all', bag);
        const [document] = parse([files[index] as (typeof files)[number]], new DiagnosticBag());
        const start = document?.spanOf(mistake.path, 'key').start ?? 0;
        const end = document?.spanOf(mistake.path).end ?? 0;
        const errors = bag.all.filter(({ severity }) => severity === 'error');
        const places = errors.map(
          ({ span }) => span?.file === `${index}.yaml` && span.start >= start && span.end <= end,
        );
        expect({ mistake: [...mistake.path, mistake.kind], isGiven: compilation !== undefined, places }).toEqual({
          mistake: [...mistake.path, mistake.kind],
          isGiven: false,
          places: [true],
        });
      }),
      runs(300),
    );
  });
});

interface Mistake {
  readonly kind: 'unknown field' | 'unknown value' | 'wrong type';
  readonly path: JsonPath;
  readonly make: () => void;
}

/** Maps whose keys are the user's own. */
const freeKeys = ['matchLabels', 'labels'];
const enums = ['mode', 'simple', 'h2UpgradePolicy'];

// biome-ignore lint/suspicious/noExplicitAny: a policy that is made wrong
function mistakesIn(parent: any, path: JsonPath): Mistake[] {
  const found: Mistake[] = [];
  const key = String(path.at(-1));
  if (!Array.isArray(parent) && !freeKeys.includes(key)) {
    const make = () => {
      // A key of portLevelMtls that is no port; what it holds is not another mistake.
      parent.surprise = key === 'portLevelMtls' ? {} : 'text';
    };
    found.push({ kind: 'unknown field', path: [...path, 'surprise'], make });
  }
  for (const [name, value] of Object.entries(parent)) {
    const field = [...path, Array.isArray(parent) ? Number(name) : name];
    const put = (kind: Mistake['kind'], wrong: unknown): void => {
      const make = () => {
        parent[name] = wrong;
      };
      found.push({ kind, path: field, make });
    };
    put('wrong type', typeof value === 'string' ? 7 : 'text');
    if (typeof value === 'object' && value !== null) found.push(...mistakesIn(value, field));
    else if (enums.includes(name)) put('unknown value', `${value}`.toLowerCase());
  }
  return found;
}
