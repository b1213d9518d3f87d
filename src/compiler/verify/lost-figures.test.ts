import { describe, expect, test } from 'vitest';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { canonicalMessage } from '../../envoy/api/canonical.ts';
import { Fragment } from '../../envoy/api/fragment.ts';
import { sampleProxy } from '../../testing/sample-proxy.ts';
import { createRenderer } from '../render/render.ts';
import { messageTypes, type Resource } from '../render/resource.ts';
import type { Lose } from './expect.ts';
import { userBootstrapLosses } from './lost-bootstrap.ts';
import { figureLosses } from './lost-figures.ts';

const matcher = (stats_matcher: object) => ({ stats_config: { stats_matcher } });
const all = { patterns: [{ safe_regex: { regex: '.*' } }] };

function losses(bootstrap: Resource['json']): readonly string[] {
  const found: string[] = [];
  const lose: Lose = (at, loss) => found.push(`${at.path.join('.')}: ${loss}`);
  figureLosses(new Fragment(canonicalMessage(messageTypes.bootstrap, bootstrap).json), lose);
  return found;
}

describe('userBootstrapLosses', () => {
  test('finds nothing in our own bootstrap', () => {
    const { json } = createRenderer().render(sampleProxy(), new DiagnosticBag())?.bootstrap ?? { json: {} };
    const lose: Lose = (_, loss) => expect.fail(loss);
    userBootstrapLosses(new Fragment(json), sampleProxy().bootstrap, lose);
    expect(json).toHaveProperty('stats_config.stats_matcher.inclusion_list');
  });
});

describe('figureLosses', () => {
  test.each<[string, Resource['json']]>([
    ['no matcher at all', {}],
    ['an inclusion list of everything', matcher({ inclusion_list: all })],
    ['camel case', { statsConfig: { statsMatcher: { inclusionList: { patterns: [{ contains: '' }] } } } }],
    [
      'patterns without case',
      matcher({ exclusion_list: { patterns: [{ exact: 'SERVER.UPTIME', ignore_case: true }] } }),
    ],
    ['an exclusion of something else', matcher({ exclusion_list: { patterns: [{ prefix: 'cluster.outbound' }] } })],
    ['nothing rejected', matcher({ reject_all: false })],
    [
      'a regular expression that Envoy refuses',
      matcher({ exclusion_list: { patterns: [{ safe_regex: { regex: '(' } }] } }),
    ],
  ])('takes %s', (_, bootstrap) => {
    expect(losses(bootstrap)).toEqual([]);
  });

  test.each<[string, object, RegExp]>([
    ['everything rejected', { reject_all: true }, /^stats_config\.stats_matcher\.reject_all: .*server\.state/],
    [
      'a list that leaves the state out',
      { inclusion_list: { patterns: [{ prefix: 'cluster' }] } },
      /inclusion_list.*server\.state/,
    ],
    [
      'versions excluded',
      { exclusion_list: { patterns: [{ suffix: '.version_text' }] } },
      /cds\.version_text.*rds\..*version_text/,
    ],
    [
      'open connections excluded',
      { exclusion_list: { patterns: [{ contains: 'cx_active' }] } },
      /downstream_cx_active$/,
    ],
    [
      'one figure excluded, in another case',
      { exclusion_list: { patterns: [{ exact: 'SERVER.live', ignore_case: true }] } },
      /hides: server\.live$/,
    ],
    [
      'workers excluded by an expression',
      { exclusion_list: { patterns: [{ safe_regex: { regex: '.*workers.*' } }] } },
      /workers_started$/,
    ],
  ])('refuses %s', (_, stats_matcher, loss) => {
    expect(losses(matcher(stats_matcher))).toEqual([expect.stringMatching(loss)]);
  });
});
