package io.github.distlock.lab.runs;

/**
 * A run cannot start now.
 */
@SuppressWarnings("serial")
public final class RunRefusedException extends IllegalStateException {

	RunRefusedException(String message) {
		super(message);
	}

}
