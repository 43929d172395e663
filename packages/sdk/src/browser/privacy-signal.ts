/** Whether the visitor has turned on Global Privacy Control or Do Not Track. */
export function hasPrivacySignal(): boolean | undefined {
  const { doNotTrack, globalPrivacyControl } = navigator as Navigator & { globalPrivacyControl?: boolean };
  return doNotTrack === '1' || globalPrivacyControl;
}
