import { describe, expect, test } from 'vitest';
import { normalForm } from './normal-form.ts';

describe('normalForm', () => {
  test.each([
    ['-o lo ! -d 127.0.0.1/32 -m owner --uid-owner 7 -j X', '! -d 127.0.0.1/32 -o lo -m owner --uid-owner 7 -j X'],
    ['-p tcp -s ::6/128 -i lo -j RETURN', '-s ::6/128 -i lo -p tcp -j RETURN'],
    [
      '-p tcp --dport 80:81 -m conntrack --ctstate NEW -j X',
      '-p tcp -m tcp --dport 80:81 -m conntrack --ctstate NEW -j X',
    ],
    ['-d 0.0.0.0/0 -j X', '-j X'],
    ['-d ::/0 -j X', '-j X'],
    ['-p tcp -i lo -m mark ! --mark 1338 -j RETURN', '-i lo -p tcp -m mark ! --mark 0x53a -j RETURN'],
    ['-j MARK --set-mark 1337', '-j MARK --set-xmark 0x539/0xffffffff'],
    ['-j CONNMARK --save-mark', '-j CONNMARK --save-mark --nfmask 0xffffffff --ctmask 0xffffffff'],
    [
      '! -d ::1/128 -p tcp -j TPROXY --tproxy-mark 1337/0xffffffff --on-port 15006',
      '! -d ::1/128 -p tcp -j TPROXY --on-port 15006 --on-ip :: --tproxy-mark 0x539/0xffffffff',
    ],
  ])('prints %j as iptables-save does', (plain, saved) => {
    expect(normalForm(plain.split(' '))).toBe(saved);
    expect(normalForm(saved.split(' '))).toBe(saved);
  });
});
