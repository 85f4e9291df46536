package io.github.distlock.actuate;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * What was released of a dead instance.
 *
 * @param released how many grants were ended
 * @param complete whether all locks were looked at; otherwise the request is to be
 * repeated
 */
public record SweepDescriptor(int released, boolean complete) implements OperationResponseBody {
}
