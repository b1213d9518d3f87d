import { defaultSettings } from './defaults.ts';
import type { ProxySettings, SettingOrigin, Settings } from './settings.ts';

/** The name under which `origins` has a key of `proxyMetadata`. */
export function metadataOrigin(key: string): string {
  return `proxy.proxyMetadata.${key}`;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Settings while their layers are laid one over the other; the last `set` wins and leaves its origin. */
export class SettingsDraft {
  readonly #settings: Mutable<Settings> = { ...defaultSettings };
  readonly #proxy: Mutable<ProxySettings> = { ...defaultSettings.proxy };
  readonly #origins: Record<string, SettingOrigin> = {};

  set<K extends keyof Settings>(key: K, value: Settings[K], origin: SettingOrigin): void {
    this.#settings[key] = value;
    this.#origins[key] = origin;
  }

  setProxy<K extends keyof ProxySettings>(key: K, value: ProxySettings[K], origin: SettingOrigin): void {
    this.#proxy[key] = value;
    this.#origins[`proxy.${key}`] = origin;
  }

  /** Where one key of `proxyMetadata` got its value. */
  setMetadataOrigin(key: string, origin: SettingOrigin): void {
    this.#origins[metadataOrigin(key)] = origin;
  }

  get proxy(): Readonly<ProxySettings> {
    return this.#proxy;
  }

  finish(): Settings {
    return { ...this.#settings, proxy: { ...this.#proxy }, origins: { ...this.#origins } };
  }
}
