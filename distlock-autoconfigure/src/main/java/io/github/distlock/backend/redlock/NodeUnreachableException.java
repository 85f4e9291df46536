package io.github.distlock.backend.redlock;

import io.github.distlock.LockBackendException;
import org.jspecify.annotations.Nullable;

/**
 * There is no connection to a {@link QuorumNode}: nothing was sent to it.
 */
public class NodeUnreachableException extends LockBackendException {

	/**
	 * Say what happened, and why.
	 * @param message names the node
	 * @param cause what led to it
	 */
	public NodeUnreachableException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
