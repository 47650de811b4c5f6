/* SPDX-License-Identifier: MIT */
/* Cases: calls from several threads, and threads that end. */
#include "cases.h"
#include "use.h"

#include <pthread.h>

static void *many_launches(void *data)
{
    const struct use *shared = data;
    struct use own = *shared;
    cl_int error;
    own.queue = cl.clCreateCommandQueue(own.context, own.device, 0, &error);
    OK(error);
    own.kernel = cl.clCreateKernel(own.program, "work", &error);
    OK(error);
    own.mem = cl.clCreateBuffer(own.context, 0, ITEMS * sizeof(cl_uint), NULL, &error);
    OK(error);
    for (int i = 0; i < 20; i++) {
        fill(&own, own.queue, own.mem);
        launch(&own, i, NULL, NULL);
        launch(&own, i, NULL, NULL);
        expect(&own, after(2 * i));
    }
    OK(cl.clReleaseMemObject(own.mem));
    OK(cl.clReleaseKernel(own.kernel));
    OK(cl.clReleaseCommandQueue(own.queue));
    return data;
}

int case_many_threads(void)
{
    enum { THREADS = 8 };
    pthread_t threads[THREADS];
    struct use use;
    open_device(&use);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, many_launches, &use) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    close_device(&use);
    return 0;
}

/* Each a program of its own: PoCL 3.1 aborts where several contexts run one compiled kernel at a time. */
static void *use_alone(void *data)
{
    char options[32];
    struct use use;
    snprintf(options, sizeof options, "-DTHREAD=%d", *(const int *)data);
    open_built(&use, options);
    launch(&use, 100, NULL, NULL);
    expect(&use, after(100));
    close_device(&use);
    return NULL;
}

/* The first use of all, by several threads at once. */
int case_threads_at_first(void)
{
    enum { THREADS = 6 };
    pthread_t threads[THREADS];
    int number[THREADS];
    for (int i = 0; i < THREADS; i++) {
        number[i] = i;
        CHECK(pthread_create(&threads[i], NULL, use_alone, &number[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

static void *leave_work(void *data)
{
    const struct use *use = data;
    launch(use, LONG, NULL, NULL);
    OK(cl.clFlush(use->queue));
    return NULL;
}

int case_thread_ends(void)
{
    struct use use;
    pthread_t thread;
    open_device(&use);
    for (int i = 0; i < 3; i++) {
        CHECK(pthread_create(&thread, NULL, leave_work, &use) == 0);
        pthread_join(thread, NULL);
    }
    expect(&use, after(3 * LONG));
    close_device(&use);
    return 0;
}
