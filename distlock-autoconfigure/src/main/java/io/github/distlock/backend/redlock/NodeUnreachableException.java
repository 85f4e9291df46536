package io.github.distlock.backend.redlock;

import io.github.distlock.LockBackendException;
import org.jspecify.annotations.Nullable;

/**
 * There is no connection to a {@link QuorumNode}: nothing was sent to it.
 */
public class NodeUnreachableException extends LockBackendException {

	/**
	 * Create an exception.
	 * @param message names the node
	 * @param cause the cause
	 */
	public NodeUnreachableException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
