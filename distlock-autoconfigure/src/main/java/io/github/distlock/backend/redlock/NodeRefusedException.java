package io.github.distlock.backend.redlock;

import io.github.distlock.LockBackendException;
import org.jspecify.annotations.Nullable;

/**
 * A {@link QuorumNode} has done nothing, and will do nothing later: the command was not
 * sent, or the node does not vote yet.
 */
public class NodeRefusedException extends LockBackendException {

	/**
	 * Create an exception.
	 * @param message names the node
	 * @param cause the cause
	 */
	public NodeRefusedException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
