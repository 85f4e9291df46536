package io.github.distlock.actuate;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Why an operation was refused.
 *
 * @param message the reason and the remedy
 */
public record RefusalDescriptor(String message) implements OperationResponseBody {
}
