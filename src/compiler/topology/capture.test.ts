import { describe, expect, test } from 'vitest';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import * as make from '../../testing/objects.ts';
import { checkCapture, inboundBypass } from './capture.ts';

const traffic = (name: string, value: string) => ({ [`traffic.sidecar.mesh.io/${name}`]: value });

function told(name: string, value: string): readonly string[] {
  const bag = new DiagnosticBag();
  const annotations = traffic(name, value);
  checkCapture(make.pod({ name: 'shop/web', annotations }, undefined), annotations, bag);
  return bag.all.map(({ code, message }) => `${code}: ${/^connections (.*) (?:of|from) Pod/.exec(message)?.[1] ?? ''}`);
}

describe('checkCapture', () => {
  test.each([
    ['excludeInboundPorts', '8000', 'inbound-outside-capture: to port 8000'],
    ['excludeInboundPorts', ' 9000,8000, 8000', 'inbound-outside-capture: to ports 8000, 9000'],
    ['excludeInboundPorts', '15020,8000,15021', 'inbound-outside-capture: to port 8000'],
    ['includeInboundPorts', '8080', 'inbound-outside-capture: to every port but port 8080'],
    ['includeInboundPorts', '', 'inbound-outside-capture: to every port'],
    ['excludeInterfaces', 'eth1', 'inbound-outside-capture: over the interface eth1'],
    ['excludeOutboundPorts', '3306', 'outbound-outside-capture: to port 3306'],
    ['excludeOutboundIPRanges', '10.0.0.0/8', 'outbound-outside-capture: to 10.0.0.0/8'],
    ['includeOutboundIPRanges', '10.0.0.0/8', 'outbound-outside-capture: to every address but 10.0.0.0/8'],
    ['excludeInboundPorts', '80-90', 'invalid-port-list: '],
    ['excludeInboundPorts', '0', 'invalid-port-list: '],
    ['excludeOutboundPorts', '65536', 'invalid-port-list: '],
    ['includeInboundPorts', 'http', 'invalid-port-list: '],
  ])('%s "%s" causes a diagnostic that names what it excludes, or why it is invalid', (name, value, expected) => {
    expect(told(name, value)).toEqual([expected]);
  });

  test.each([
    ['excludeInboundPorts', ''],
    ['excludeInboundPorts', '15020,15021,15090'],
    ['includeInboundPorts', '*'],
    ['excludeOutboundPorts', ''],
    ['includeOutboundPorts', '8080'],
    ['includeOutboundIPRanges', '*'],
    ['excludeOutboundIPRanges', ''],
  ])('%s "%s" causes no diagnostic, because it excludes nothing', (name, value) => {
    expect(told(name, value)).toEqual([]);
  });
});

test.each([
  [
    '9300',
    '9300',
    [/^"excludeOutboundPorts" has the same .* neither; protect/, /^"excludeInboundPorts" has .* neither$/],
  ],
  ['9300,15020', '9300,443', [/^"excludeOutboundPorts" has the same/, /^remove the annotation, unless/]],
  ['9300', '9301', [/^remove the annotation, or protect/, /^remove the annotation, unless/]],
])(
  'inbound ports %s beside outbound ports %s are hinted at as a pair where they are one',
  (inbound, outbound, hints) => {
    const bag = new DiagnosticBag();
    const annotations = { ...traffic('excludeInboundPorts', inbound), ...traffic('excludeOutboundPorts', outbound) };
    checkCapture(make.pod({ name: 'shop/web', annotations }, undefined), annotations, bag);
    expect(bag.all.map(({ hint }) => hint)).toEqual(hints.map((hint) => expect.stringMatching(hint)));
  },
);

test('inboundBypass gives the ports that redirection leaves alone, and those that alone it takes', () => {
  expect(inboundBypass({})).toEqual({});
  expect(inboundBypass(traffic('includeInboundPorts', '*'))).toEqual({});
  expect(inboundBypass(traffic('includeInboundPorts', ''))).toEqual({ includedInboundPorts: [] });
  expect(inboundBypass(traffic('includeInboundPorts', '80,22'))).toEqual({ includedInboundPorts: [22, 80] });
  expect(inboundBypass(traffic('excludeInboundPorts', '22'))).toEqual({ excludedInboundPorts: [22] });
});
