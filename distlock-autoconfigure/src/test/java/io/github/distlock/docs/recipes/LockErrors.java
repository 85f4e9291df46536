package io.github.distlock.docs.recipes;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockNotAcquiredException;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

@RestControllerAdvice
class LockErrors {

	@ExceptionHandler(LockNotAcquiredException.class)
	ProblemDetail taken() {
		return ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, "Another request changes this. Try again.");
	}

	@ExceptionHandler(LockBackendException.class)
	ProblemDetail unavailable() {
		return ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE, "Try again later.");
	}

}
