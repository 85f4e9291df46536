package io.github.distlock.registry;

/**
 * Two releases, of which the second is made whatever becomes of the first.
 */
final class InOrder {

	private InOrder() {
	}

	static void run(Runnable before, Runnable after) {
		try {
			before.run();
		}
		catch (RuntimeException | Error ex) {
			try {
				after.run();
			}
			catch (RuntimeException problem) {
				ex.addSuppressed(problem);
			}
			throw ex;
		}
		after.run();
	}

}
