package io.github.distlock.actuate;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/**
 * {@link Endpoint @Endpoint} that says which locks are held and waited for, and ends
 * grants by hand. These operations are those of JMX, which knows no caller: unless values
 * are always shown, they are masked, no single lock can be asked for and nothing can be
 * ended. Over HTTP, {@link DistlocksEndpointWebExtension} replaces them.
 */
@Endpoint(id = "distlocks", defaultAccess = Access.READ_ONLY)
public class DistlocksEndpoint {

	private final LockOperator operator;

	/**
	 * Create the endpoint.
	 * @param operator what can be read and ended
	 */
	public DistlocksEndpoint(LockOperator operator) {
		this.operator = operator;
	}

	/**
	 * Return all locks of this application, or what the store says about one lock.
	 * @param limit the maximum length of each list
	 * @param key the key of a lock; without it, all locks of this application
	 * @param registry the name of the registry, needed if several know the key
	 * @return a {@link LocksDescriptor} or a {@link LockDescriptor}
	 */
	@ReadOperation
	public OperationResponseBody locks(@Nullable Integer limit, @Nullable String key, @Nullable String registry) {
		return (key != null) ? this.operator.lock(SecurityContext.NONE, key, registry, limit)
				: this.operator.locks(SecurityContext.NONE, limit);
	}

	/**
	 * End a grant.
	 * @param key the key of the lock
	 * @param registry the name of the registry
	 * @param token the grant token of the grant
	 * @return always {@code null}; without a result, an operation produces no media type,
	 * and the one of the web extension would not replace it
	 */
	@DeleteOperation
	public @Nullable OperationResponseBody release(@Nullable String key, @Nullable String registry,
			@Nullable Long token) {
		this.operator.release(SecurityContext.NONE, key, registry, token);
		return null;
	}

}
