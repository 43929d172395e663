export interface Outcome {
  /** 0 without a response. */
  status: number;
  /** Such as "503 overloaded". */
  words: string;
}

export const describeFailure = (error: unknown): Outcome => ({ status: 0, words: `no response (${error})` });

/** The client reads the body itself; of responses before the tools were loaded, only the status is left. */
export async function describeResponse(response: Response): Promise<Outcome> {
  const { status } = response;
  if (response.ok) return { status, words: String(status) };
  try {
    const { error } = (await response.clone().json()) as { error: { code: string; message: string } };
    return { status, words: `${status} ${error.code}: ${error.message.replace(/\.$/, '')}` };
  } catch {
    return { status, words: String(status) };
  }
}
