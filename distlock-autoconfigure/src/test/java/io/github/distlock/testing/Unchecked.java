package io.github.distlock.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.Callable;

import org.jspecify.annotations.Nullable;

/** Calls what throws checked exceptions where none can be declared. */
public final class Unchecked {

	private Unchecked() {
	}

	/** Return what a call returns. What it throws is unchecked. */
	public static <T extends @Nullable Object> T call(Callable<T> call) {
		try {
			return call.call();
		}
		catch (RuntimeException ex) {
			throw ex;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

}
